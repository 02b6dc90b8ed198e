"""Tablebase of the blind cup, every position of which is one rung: values from the top down, in fractions.

Two seats pass a cup that nobody but the roller sees, claims rise, and nothing else is done; a throw that counts for
nothing may be one that ends the round with no loser. What a seat gets is 1 where it wins or nobody loses, else 0.

Facing claim r, the roller throws, sees and names c > r. The answerer challenges, or throws blind and faces c; the top
claim is only challenged. Let `A_c` be what is left to the roller who is believed, and `R_c` what the answerer then has.

The answerer keeps lies at or below `l` by challenging c with the chance `max(0, 1 - l / A_c)`. A true claim is then
worth `1 - l (1 / A_c - 1)` where `A_c > l`, and less than `l` elsewhere: so each throw names the true claim of the
greatest `A_c`, or lies if that is below `l`. The roller keeps the answerer even between challenging and believing where
of all who name c the share `R_c` lies: `R_c / (1 - R_c)` lies for each true claim. Who lies is more, the higher `l` is;
`l` lies where there are as many as that takes, and throws to which both are alike share what is missing.

Where nobody may end the round so, that is a game of one sum: then the value is that of the game, whoever plays.
Source: section 9.4 of the specification, which finds the same `l` as the least value of a convex function.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from domain.rules.ladders import NOTHING
from domain.statistics.odds import Throw, chances_of_hands

ZERO, ONE = Fraction(0), Fraction(1)


class Facing(Struct, frozen=True):
    """What is known of facing one claim.

    Attributes:
        roller: What the seat gets that throws and has to beat the claim, 0 to 1.
        other: What the other one gets.
        doubts: For each higher claim, lowest first, the chance that it is challenged by one best answerer.
        calls: For each throw, that of nothing first and then by rung, how likely one best roller makes each higher
            claim; a throw that ends the round makes none.
    """

    roller: Fraction
    other: Fraction
    doubts: tuple[Fraction, ...]
    calls: tuple[tuple[Fraction, ...], ...]

    @property
    def value(self) -> Fraction:
        """What the round is worth to whoever throws, +1 won and -1 lost."""
        return 2 * self.roller - 1


class Tablebase(Struct, frozen=True):
    """Every position of a blind cup.

    Attributes:
        answers: By the standing rung and one more: the first is for a cup of which nothing was claimed. The last but
            one is the top that may still be beaten; who faces the top claim challenges it.
        chances: Of each throw, that of nothing first and then by rung.
    """

    answers: tuple[Facing, ...]
    chances: tuple[Fraction, ...]

    def facing(self, standing: int | None) -> Facing:
        """Return what is known of whoever throws and faces this rung; None for a cup of which nothing was claimed."""
        return self.answers[0 if standing is None else standing + 1]


def tablebase_of(throw: Throw, *, voids: bool = False) -> Tablebase:
    """Return the tablebase of a cup with these dice. Cost: 50 ms for two dice.

    Args:
        throw: The dice, and what claims rank by.
        voids: Whether a throw that counts for nothing ends the round, with no loser; else it is one of which to lie.
    """
    ranked = tuple(chances_of_hands(throw).values())
    chances = (1 - sum(ranked, ZERO), *ranked)
    answers: tuple[Facing, ...] = ()
    for lowest in reversed(range(len(ranked))):
        answers = (_Position(lowest, chances, answers, voids=voids).facing(), *answers)
    return Tablebase(answers, chances)


class _Position:
    """A roller who has to claim this rung or a higher one, given what is known of facing those."""

    def __init__(self, lowest: int, chances: tuple[Fraction, ...], after: tuple[Facing, ...], *, voids: bool) -> None:
        self.lowest, self.chances, self.voids = lowest, chances, voids
        # The top claim is never believed: a true one is worth all, and a false one nothing.
        self.left = [*[facing.other for facing in after], ONE]
        self.gains = [*[facing.roller for facing in after], ZERO]
        self.best = self._best_claims()

    def _best_claims(self) -> list[int]:
        """Return for each throw that makes a claim the one it would name, the highest of several, counted from 0."""
        found: list[int] = []
        for claim, left in enumerate(self.left):
            before = found[-1] if found else claim
            found.append(claim if left >= self.left[before] else before)
        return found

    @property
    def true_throws(self) -> list[tuple[int, Fraction]]:
        """The throws that can make a true claim, by what they would name, with their chances."""
        return list(zip(self.best, self.chances[self.lowest + 1 :], strict=True))

    @property
    def must_lie(self) -> Fraction:
        """The chance of a throw that can make none, and does not end the round."""
        return sum(self.chances[int(self.voids) : self.lowest + 1], ZERO)

    def lies_to(self, claim: int) -> Fraction:
        """Return how many lies each true claim bears."""
        return self.gains[claim] / Fraction(1 - self.gains[claim])

    def facing(self) -> Facing:
        """Return what is known."""
        lie, share = self._level()
        truths = [ONE if self.left[best] > lie else 1 - share if self.left[best] == lie else ZERO for best in self.best]
        lying = self._lying(truths)
        calls = [self._calls(rung, truths, lying) for rung in range(NOTHING, len(self.chances) - 1)]
        doubts = [max(ZERO, 1 - lie / Fraction(left)) for left in self.left[:-1]]
        return self._valued((*doubts, ONE), tuple(calls))

    def _level(self) -> tuple[Fraction, Fraction]:
        """Return what a lie is worth, and how often a throw lies to which the truth is worth no more."""
        missing = sum([chance * self.lies_to(best) for best, chance in self.true_throws], ZERO) - self.must_lie
        if missing <= 0:
            return ZERO, ZERO
        # The top is never lied about, so that all others are more than enough.
        levels = iter(sorted(set(self.left)))
        lie = next(levels)
        while (gained := self._gained(lie)) < missing:
            missing -= gained
            lie = next(levels)
        return lie, Fraction(missing) / gained

    def _gained(self, lie: Fraction) -> Fraction:
        """Return how much nearer to enough lies one comes where those lie to whom the truth is worth just this."""
        turning = [(best, chance) for best, chance in self.true_throws if self.left[best] == lie]
        return sum([chance * (1 + self.lies_to(best)) for best, chance in turning], ZERO)

    def _lying(self, truths: list[Fraction]) -> tuple[Fraction, ...]:
        """Return how likely a lie names each claim; those that no true claim bears name the top, and win nothing."""
        told = [ZERO] * len(self.left)
        for (best, chance), truth in zip(self.true_throws, truths, strict=True):
            told[best] += chance * truth
        lies = [each * self.lies_to(claim) for claim, each in enumerate(told)]
        false = [chance * (1 - truth) for (_, chance), truth in zip(self.true_throws, truths, strict=True)]
        whole = self.must_lie + sum(false, ZERO)
        lies[-1] += whole - sum(lies, ZERO)
        return tuple([Fraction(each) / whole for each in lies]) if whole else (ZERO,) * len(lies)

    def _calls(self, rung: int, truths: list[Fraction], lying: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        """Return how likely a throw of this rung makes each claim."""
        if rung < self.lowest:
            return (ZERO,) * len(lying) if self.voids and rung == NOTHING else lying
        best, truth = self.best[rung - self.lowest], truths[rung - self.lowest]
        return tuple([(1 - truth) * each + (truth if claim == best else ZERO) for claim, each in enumerate(lying)])

    def _valued(self, doubts: tuple[Fraction, ...], calls: tuple[tuple[Fraction, ...], ...]) -> Facing:
        """Return what both get who play so."""
        ended = self.chances[0] if self.voids else ZERO
        roller = other = ended
        for throw, (chance, row) in enumerate(zip(self.chances, calls, strict=True)):
            for claim, called in enumerate(row):
                doubt, holds = doubts[claim], throw - 1 >= self.lowest + claim
                roller += chance * called * (doubt * holds + (1 - doubt) * self.left[claim])
                other += chance * called * (doubt * (not holds) + (1 - doubt) * self.gains[claim])
        return Facing(roller, other, doubts, calls)


# ---- what is proved ------------------------------------------------------------------------------


def roller_has(base: Tablebase, lowest: int) -> Fraction:
    """Return what a roller gets at least by these calls, 0 to 1, whatever the answerer does, where one has to lose.

    The answerer is given the better answer to each claim; what comes after a claim that is believed is taken as known.
    """
    answer, whole = base.answers[lowest], ZERO
    for place in range(len(answer.doubts)):
        claim = lowest + place
        said = [chance * row[place] for chance, row in zip(base.chances, answer.calls, strict=True)]
        true, every = sum(said[claim + 1 :], ZERO), sum(said, ZERO)
        believed = base.answers[claim + 1].other if claim + 1 < len(base.answers) else ONE
        whole += min(true, every * believed)
    return whole


def roller_gets(base: Tablebase, lowest: int) -> Fraction:
    """Return what a roller gets at most, 0 to 1, by these doubts, where one has to lose: by the best claims."""
    answer, whole = base.answers[lowest], ZERO
    for throw, chance in enumerate(base.chances):
        whole += chance * max(_claims(base, answer.doubts, lowest, throw - 1))
    return whole


def _claims(base: Tablebase, doubts: Sequence[Fraction], lowest: int, rung: int) -> list[Fraction]:
    found = []
    for claim, doubt in enumerate(doubts, lowest):
        believed = base.answers[claim + 1].other if claim + 1 < len(base.answers) else ZERO
        found.append(doubt * (rung >= claim) + (1 - doubt) * believed)
    return found
