"""Designs: schedules of tables of one size in which every two meet equally often.

They are part of the law and stand here as data: nobody has to construct them to check a round. A round is a text with
a sign for each entrant, table after table; signs stand for points 1 to 64 in the order of the base64url alphabet, and
points are the seeds. With fewer rounds than a design has, its first ones are played.

Source:
    Lines of the affine space over GF(q), a parallel class a round: 9 in threes, 16 in fours, 25 in fives, 49 in sevens,
    64 in eights, 27 in threes, 64 in fours. T. P. Kirkman, Query VI, The Lady's and Gentleman's Diary, 1850: fifteen in
    threes. The Hadamard 3-design on 8 points: 8 in fours. All triples of 6 points with the rest: 6 in threes.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

_SIGNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class Design(Struct, frozen=True):
    """A schedule in which every two meet equally often.

    Attributes:
        entrants: How many it is for.
        size: How many sit at each table.
        meetings: How often every two meet in all of its rounds.
        written: Its rounds, each a sign for every entrant.
    """

    entrants: int
    size: int
    meetings: int
    written: str

    def rounds(self) -> list[list[tuple[int, ...]]]:
        """Return the tables of each round, by points from 1."""
        return [_tables(text, self.size) for text in self.written.split()]


def _tables(text: str, size: int) -> list[tuple[int, ...]]:
    """Return the tables that a round is written as."""
    points = [_SIGNS.index(sign) + 1 for sign in text]
    return [tuple(points[at : at + size]) for at in range(0, len(points), size)]


def design(entrants: int, size: int) -> Design | None:
    """Return the design for so many entrants at tables of a size, or None where there is none."""
    return next((found for found in DESIGNS if (found.entrants, found.size) == (entrants, size)), None)


DESIGNS: Final = (
    Design(
        9,
        3,
        1,
        """
        ABCDEFGHI
        ADGBEHCFI
        AEIBFGCDH
        AFHBDICEG
        """,
    ),
    Design(
        16,
        4,
        1,
        """
        ABCDEFGHIJKLMNOP
        AEIMBFJNCGKODHLP
        AFKPBELOCHINDGJM
        AGLNBHKMCEJPDFIO
        AHJOBGIPCFLMDEKN
        """,
    ),
    Design(
        25,
        5,
        1,
        """
        ABCDEFGHIJKLMNOPQRSTUVWXY
        AFKPUBGLQVCHMRWDINSXEJOTY
        AGMSYBHNTUCIOPVDJKQWEFLRX
        AHOQXBIKRYCJLSUDFMTVEGNPW
        AILTWBJMPXCFNQYDGORUEHKSV
        AJNRVBFOSWCGKTXDHLPYEIMQU
        """,
    ),
    Design(
        49,
        7,
        1,
        """
        ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw
        AHOVcjqBIPWdkrCJQXelsDKRYfmtELSZgnuFMTahovGNUbipw
        AIQYgowBJRZhpqCKSaijrDLTbcksEMUVdltFNOWemuGHPXfnv
        AJSbdmvBKTVenwCLUWfoqDMOXgprENPYhjsFHQZiktGIRaclu
        AKUXhkuBLOYilvCMPZcmwDNQadnqEHRbeorFISVfpsGJTWgjt
        ALPaeptBMQbfjuCNRVgkvDHSWhlwEITXimqFJUYcnrGKOZdos
        AMRWinsBNSXcotCHTYdpuDIUZejvEJOafkwFKPbglqGLQVhmr
        ANTZflrBHUagmsCIObhntDJPViouEKQWcpvFLRXdjwGMSYekq
        """,
    ),
    Design(
        64,
        8,
        1,
        """
        ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_
        AIQYgow4BJRZhpx5CKSaiqy6DLTbjrz7EMUcks08FNVdlt19GOWemu2-HPXfnv3_
        AJSbkt2_BITals3-CLQZmv09DKRYnu18ENWfgpy7FMXehoz6GPUdirw5HOVcjqx4
        AKUejp39BLVfio28CIWchr1_DJXdgq0-EOQantz5FPRbmsy4GMSYlvx7HNTZkuw6
        ALWdnsx6BKXcmtw7CJUfluz4DIVekvy5EPSZjo1-FOTYip0_GNQbhq38HMRagr29
        AMTfmq15BNSenr04CORdko37DPQclp26EIXbiux9FJWajvw8GKVZgsz_HLUYhty-
        ANRcivz-BMQdjuy_CPTegtx8DOSfhsw9EJVYmr36FIUZnq27GLXakp14HKWblo05
        AOXZlry8BPWYkqz9CMVbnpw-DNUamox_EKTdhv24FLScgu35GIRfjt06HJQeis17
        APVahu07BOUbgv16CNXYjs25DMWZit34ELRelqw_FKQfkrx-GJTcnoy9HISdmpz8
        """,
    ),
    Design(
        27,
        3,
        1,
        """
        ABCDEFGHIJKLMNOPQRSTUVWXYZa
        ADGBEHCFIJMPKNQLORSVYTWZUXa
        AEIBFGCDHJNRKOPLMQSWaTXYUVZ
        AFHBDICEGJOQKMRLNPSXZTVaUWY
        AJSBKTCLUDMVENWFOXGPYHQZIRa
        AKUBLSCJTDNXEOVFMWGQaHRYIPZ
        ALTBJUCKSDOWEMXFNVGRZHPaIQY
        AMYBNZCOaDPSEQTFRUGJVHKWILX
        ANaBOYCMZDQUERSFPTGKXHLVIJW
        AOZBMaCNYDRTEPUFQSGLWHJXIKV
        APVBQWCRXDJYEKZFLaGMSHNTIOU
        AQXBRVCPWDKaELYFJZGNUHOSIMT
        ARWBPXCQVDLZEJaFKYGOTHMUINS
        """,
    ),
    Design(
        64,
        4,
        1,
        """
        ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_
        AEIMBFJNCGKODHLPQUYcRVZdSWaeTXbfgkoshlptimqujnrvw048x159y26-z37_
        AFKPBELOCHINDGJMQVafRUbeSXYdTWZcglqvhkruinotjmpsw16_x07-y349z258
        AGLNBHKMCEJPDFIOQWbdRXacSUZfTVYegmrthnqsikpvjlouw279x368y05_z14-
        AHJOBGIPCFLMDEKNQXZeRWYfSVbcTUadgnpuhmovilrsjkqtw35-x24_y178z069
        AQgwBRhxCSiyDTjzEUk0FVl1GWm2HXn3IYo4JZp5Kaq6Lbr7Mcs8Ndt9Oeu-Pfv_
        ARizBQjyCTgxDShwEVm3FUn2GXk1HWl0IZq7JYr6Kbo5Lap4Mdu_Ncv-Ofs9Pet8
        ASjxBTiwCQhzDRgyEWn1FXm0GUl3HVk2Iar5Jbq4KYp7LZo6Mev9Nfu8Oct_Pds-
        AThyBSgzCRjwDQixEXl2FWk3GVn0HUm1Ibp6Jao7KZr4LYq5Mft-Nes_Odv8Pcu9
        AUo8BVp9CWq-DXr_EQs4FRt5GSu6HTv7Icg0Jdh1Kei2Lfj3MYkwNZlxOamyPbnz
        AVq_BUr-CXo9DWp8ERu7FQv6GTs5HSt4Idi3Jcj2Kfg1Leh0MZmzNYnyObkxPalw
        AWr9BXq8CUp_DVo-ESv5FTu4GQt7HRs6Iej1Jfi0Kch3Ldg2ManxNbmwOYlzPZky
        AXp-BWo_CVr8DUq9ETt6FSs7GRv4HQu5Ifh2Jeg3Kdj0Lci1MblyNakzOZnwPYmx
        AYs0BZt1Cau2Dbv3EcowFdpxGeqyHfrzIQk8JRl9KSm-LTn_MUg4NVh5OWi6PXj7
        AZu3BYv2Cbs1Dat0EdqzFcryGfoxHepwIRm_JQn-KTk9LSl8MVi7NUj6OXg5PWh4
        Aav1Bbu0CYt3DZs2EerxFfqwGcpzHdoyISn9JTm8KQl_LRk-MWj5NXi4OUh7PVg6
        Abt2Bas3CZv0DYu1EfpyFeozGdrwHcqxITl-JSk_KRn8LQm9MXh6NWg7OVj4PUi5
        Ack4Bdl5Cem6Dfn7EYg8FZh9Gai-Hbj_IUswJVtxKWuyLXvzMQo0NRp1OSq2PTr3
        Adm7Bcn6Cfk5Del4EZi_FYj-Gbg9Hah8IVuzJUvyKXsxLWtwMRq3NQr2OTo1PSp0
        Aen5Bfm4Ccl7Ddk6Eaj9Fbi8GYh_HZg-IWvxJXuwKUtzLVsyMSr1NTq0OQp3PRo2
        Afl6Bek7Cdn4Dcm5Ebh-Fag_GZj8HYi9IXtyJWszKVvwLUuxMTp2NSo3ORr0PQq1
        """,
    ),
    Design(
        8,
        4,
        3,
        """
        ACEGBDFH
        ABEFCDGH
        ADEHBCFG
        ABCDEFGH
        ACFHBDEG
        ABGHCDEF
        ADFGBCEH
        """,
    ),
    Design(
        6,
        3,
        4,
        """
        ABCDEF
        ABDCEF
        ABECDF
        ABFCDE
        ACDBEF
        ACEBDF
        ACFBDE
        ADEBCF
        ADFBCE
        AEFBCD
        """,
    ),
    Design(
        15,
        3,
        1,
        """
        ABCDHLEJOFKMGIN
        ADEBHJCMNFIOGKL
        AFGBIKCLODJNEHM
        AHIBLNCEFDKOGJM
        AJKBMOCDGEILFHN
        ALMBDFCIJEKNGHO
        ANOBEGCHKDIMFJL
        """,
    ),
)
"""Every design that there is, by entrants and size."""
