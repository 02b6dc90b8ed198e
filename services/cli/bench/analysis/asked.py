"""An evaluator that keeps what it is asked, so that it can be asked the same again with nothing around it."""

from __future__ import annotations

from collections.abc import Sequence

from domain.strategy.folding.fold_back import Deal, Questions, Shares
from domain.strategy.folding.verdicts import AtStake
from services.evaluators.batch_evaluator import evaluate


class KeptQuestions:
    """Folds back as the batch evaluator does."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self._asked: list[tuple[AtStake, Sequence[Deal], Questions]] = []

    def __call__(self, stakes: AtStake, deals: Sequence[Deal], asked: Questions) -> Shares:
        """Return the shares that are asked for."""
        self._asked.append((stakes, deals, asked))
        return evaluate(stakes, deals, asked)

    def ask_again(self) -> None:
        """Fold all of it back once more."""
        for each in self._asked:
            evaluate(*each)
