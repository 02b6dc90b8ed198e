/** All that is done about the keys of seats at a table, which comes behind its page. */
import './new_key.js';
import './seat_key.js';
