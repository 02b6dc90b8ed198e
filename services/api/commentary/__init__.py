"""Comments over HTTP, `/matches/{id}/comments`.

In reading order:

    bodies      what is sent
    comments    comments: read, made, replaced, withdrawn, exported
    writers     who may write
"""
