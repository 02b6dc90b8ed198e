"""HTTP parts that the interface, the pages and the witness share.

In reading order:

    problems            every problem a request may meet
    fields              fields of the head
    heads               HEAD, as GET
    bodies              bodies, read strictly
    injected            what handlers are given by name
    etags               versions as ETags
    codings             what is compressed, and how
    documents           documents that change seldom
    paths               the path of a request, letter by letter
    paging              pages of the lobby
    game_cards          the games, for forms
    reach               where a house is reached, by itself and by others
    bounds              how much may be asked for
    layers              what stands before handlers
    front               the doors of the server
"""
