"""Pages of tournaments: what is said of an event, its rounds and its places, in order for whoever reads them.

In reading order:

    sites       what the pages know of tournaments
    folder      pages that are kept while nothing changes
    wording     rules, times and dues in sentences
    listing     the list of all
    announcing  the form that holds one
    entry       the page of an event, with the code to join
    rounds      who sits where, and why
    places      who stands where, and why; brackets
    walls       what hangs on a wall: the big screen, lists to print
    hall        what is looked at while tables play, and what is printed for them
    acts        what officials may do, and what each act has to be told
    conduct     the console of officials
    routes      all of them
"""
