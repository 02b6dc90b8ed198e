"""The policy that browsers hold pages to (CSP), for all of them."""

from __future__ import annotations


def policy(form_action: str = "'self'", frame_ancestors: str = "'none'") -> str:
    """Return the policy of pages that send forms here and stand in frames there.

    Pages load nothing but files of this house and run nothing that stands in a page; Lit makes its templates under the
    one trusted type that is let through.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"manifest-src 'self'; form-action {form_action}; base-uri 'none'; frame-ancestors {frame_ancestors}; "
        "require-trusted-types-for 'script'; trusted-types lit-html"
    )
