// The types of what libraries.js bundles, for the gate; no page loads them. The packages are pinned where it is checked.
export { LitElement, html, svg, nothing, render } from 'lit';
export { repeat } from 'lit/directives/repeat.js';
export { classMap } from 'lit/directives/class-map.js';
export { live } from 'lit/directives/live.js';
export { ifDefined } from 'lit/directives/if-defined.js';
