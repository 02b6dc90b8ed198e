"""Accuracy: how near to the best the decisions of a seat were, on the scale of chess sites.

The curve is theirs, 103.1668 e^(-0.04354 d) - 2.1669 within 0 to 100 %, and d counts points, hundredths of the stake of
a round. Here it is a table of integers, since no analysis knows a float. The error rate beside it is additive: the mean
of the points lost, which in millirounds a decision is what backgammon programs print.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.analysis.figures import MILLION, divide

STEP: Final = 5_000
"""Ppm of the stake between two entries of the table: half a point."""
CURVE: Final = (
    1_000_000, 987_780, 966_040, 944_768, 923_954, 903_588, 883_661, 864_163, 845_085, 826_418, 808_153, 790_281,
    772_795, 755_684, 738_943, 722_562, 706_533, 690_850, 675_505, 660_490, 645_798, 631_423, 617_358, 603_595,
    590_129, 576_953, 564_060, 551_446, 539_103, 527_025, 515_208, 503_646, 492_332, 481_262, 470_431, 459_832,
    449_462, 439_316, 429_388, 419_673, 410_168, 400_868, 391_768, 382_864, 374_151, 365_627, 357_285, 349_124,
    341_138, 333_325, 325_679, 318_198, 310_879, 303_717, 296_709, 289_852, 283_143, 276_578, 270_155, 263_870,
    257_720, 251_703, 245_816, 240_055, 234_418, 228_903, 223_506, 218_226, 213_060, 208_004, 203_058, 198_218,
    193_482, 188_849, 184_315, 179_879, 175_538, 171_291, 167_135, 163_069, 159_090, 155_197, 151_388, 147_661,
    144_014, 140_446, 136_954, 133_538, 130_195, 126_925, 123_724, 120_593, 117_529, 114_531, 111_598, 108_728,
    105_920, 103_172, 100_483, 97_852, 95_278, 92_760, 90_295, 87_884, 85_524, 83_216, 80_957, 78_747, 76_584, 74_468,
    72_397, 70_372, 68_389, 66_450, 64_552, 62_695, 60_878, 59_100, 57_361, 55_659, 53_993, 52_364, 50_769, 49_209,
    47_683, 46_189, 44_728, 43_298, 41_899, 40_529, 39_190, 37_879, 36_597, 35_342, 34_114, 32_913, 31_737, 30_587,
    29_461, 28_360, 27_283, 26_229, 25_197, 24_188, 23_200, 22_234, 21_288, 20_363, 19_458, 18_572, 17_705, 16_857,
    16_028, 15_216, 14_421, 13_644, 12_884, 12_139, 11_411, 10_699, 10_002, 9_320, 8_652, 7_999, 7_360, 6_735, 6_123,
    5_525, 4_939, 4_366, 3_805, 3_257, 2_720, 2_195, 1_681, 1_178, 686, 204, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0,
)  # fmt: skip
"""Accuracy in ppm of a decision that lost 0, 1/2, 1 ... 100 points."""


FLOOR: Final = 21_669
"""So far below 0 the curve would come to lie in the end, ppm."""
FADING: Final = (4_354, 100_000)
"""So much of itself, counted from its floor, the curve loses with each point."""


class LossOfStake(Struct, frozen=True):
    """What a decision lost.

    Attributes:
        points: Ppm of the stake; those of an estimate may be below 0.
        stake: Ppm of the match, or of the unit; what the decision weighs in a mean.
    """

    points: int
    stake: int


def accuracy_of(points: int) -> int:
    """Return the accuracy in ppm of a decision that lost so many ppm of its stake; what is more than all is all."""
    step, rest = divmod(min(points, MILLION), STEP)
    if not rest:
        return CURVE[step]
    return divide(CURVE[step] * (STEP - rest) + CURVE[step + 1] * rest, STEP)


def error_rate(decisions: Sequence[LossOfStake]) -> int | None:
    """Return the mean of the points lost, ppm of the stake; None where nothing was decided."""
    return divide(sum([each.points for each in decisions]), len(decisions)) if decisions else None


def accuracy(decisions: Sequence[LossOfStake]) -> int | None:
    """Return the mean accuracy in ppm, weighted by the stakes; None where nothing was at stake."""
    stakes = sum([each.stake for each in decisions])
    return divide(sum([accuracy_of(each.points) * each.stake for each in decisions]), stakes) if stakes else None
