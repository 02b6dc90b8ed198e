/** Claims that count: what may be claimed, which claims beat the standing one, which tokens count for a face. */

/** @typedef {{quantity: number, face: number}} Count */
/**
 * @typedef {object} Auction The bidding of one round.
 * @property {any} counting The claims of the game.
 * @property {number} tokens In play this round, the highest quantity.
 * @property {import('./games/rules.js').Faces} faces
 * @property {boolean} wild Whether ones count for every other face now.
 * @property {boolean} palifico Whether the opening fixes the face and ones are plain.
 */

const ONE = 1;

/** How high a face stands among the faces. @type {Record<string, (face: number) => number>} */
const RANKS = {
  natural: (face) => face,
  zero_high: (face) => face || 10,
  ace_high: (face) => (face > 1 ? face : face + 10),
};

/** Whether the second claim outranks the first. @type {Record<string, (old: Count, now: Count) => boolean>} */
const ORDERS = {
  face_first: (old, now) => now.face > old.face || (now.face === old.face && now.quantity > old.quantity),
  quantity_first: (old, now) => now.quantity > old.quantity || (now.quantity === old.quantity && now.face > old.face),
  highest_number: (old, now) => Math.max(now.quantity, now.face) > Math.max(old.quantity, old.face),
  product: (old, now) => now.quantity * now.face > old.quantity * old.face,
  no_decrease: (old, now) =>
    now.quantity >= old.quantity && now.face >= old.face && now.quantity + now.face > old.quantity + old.face,
};

/** @param {Auction} auction @param {Count} claim @returns {Count} The claim with the rank of its face as its face. */
const ranked = ({ counting }, claim) => ({ quantity: claim.quantity, face: RANKS[counting.rank](claim.face) });

/** @param {Auction} auction @param {Count} standing @param {Count} claim */
function outranks(auction, standing, claim) {
  if (auction.palifico) return claim.face === standing.face && claim.quantity > standing.quantity;
  if (auction.counting.aces === 'half_double' && (standing.face === ONE || claim.face === ONE)) {
    if (standing.face === claim.face) return claim.quantity > standing.quantity;
    if (claim.face === ONE) return 2 * claim.quantity >= standing.quantity;
    return claim.quantity >= 2 * standing.quantity + 1;
  }
  return ORDERS[auction.counting.order](ranked(auction, standing), ranked(auction, claim));
}

/** @param {Auction} auction @param {Count | null} standing @param {number} face */
function isNameable({ faces, counting, palifico }, standing, face) {
  if (face < faces.first || face >= faces.first + faces.count) return false;
  if (face !== ONE || palifico) return true;
  return counting.aces === 'half_double' ? standing !== null : counting.aces === 'as_ones';
}

/**
 * @param {Auction} auction
 * @param {Count | null} standing
 * @param {Count} claim
 * @returns {boolean} Whether this may be claimed now.
 */
export function isLegal(auction, standing, claim) {
  return (
    isNameable(auction, standing, claim.face) &&
    claim.quantity >= 1 &&
    claim.quantity <= auction.tokens &&
    (standing === null || outranks(auction, standing, claim))
  );
}

/**
 * @param {Auction} auction
 * @param {Count | null} standing
 * @returns {Generator<Count>} Every legal claim, ascending by quantity and face.
 */
function* legal(auction, standing) {
  const { first, count } = auction.faces;
  for (let quantity = 1; quantity <= auction.tokens; quantity += 1) {
    for (let face = first; face < first + count; face += 1) {
      if (isLegal(auction, standing, { quantity, face })) yield { quantity, face };
    }
  }
}

/** @param {Auction} auction @param {Count | null} standing */
export const isAnyLegal = (auction, standing) => !legal(auction, standing).next().done;

// ---- the smallest claim, for a seat out of time ----

/** @param {Count[]} claims @param {(claim: Count) => number} size */
function least(claims, size) {
  const smallest = Math.min(...claims.map(size));
  return claims.filter((claim) => size(claim) === smallest);
}

/** @param {Count} old @param {Count[]} higher */
function nextFace(old, higher) {
  const faces = higher.map((claim) => claim.face).filter((face) => face > old.face);
  return faces.length ? Math.min(...faces) : 0;
}

/** @param {number} quantity @param {number} face @param {Count} claim */
const isAs = (quantity, face, claim) => claim.quantity === quantity && claim.face === face;
/** @param {Count} old @param {Count} claim */
const isOneMore = (old, claim) => isAs(old.quantity + 1, old.face, claim);

/**
 * Which of the higher claims are the smallest steps, given the next face.
 * @type {Record<string, (old: Count, higher: Count[], next: number) => Count[]>}
 */
const STEPS = {
  face_first: (old, higher, next) => higher.filter((claim) => isOneMore(old, claim) || claim.face === next),
  quantity_first: (old, higher, next) =>
    higher.filter((claim) => claim.quantity === old.quantity + 1 || isAs(old.quantity, next, claim)),
  highest_number: (_old, higher) => least(higher, (claim) => Math.max(claim.quantity, claim.face)),
  product: (_old, higher) => least(higher, (claim) => claim.quantity * claim.face),
  no_decrease: (old, higher, next) =>
    higher.filter((claim) => isOneMore(old, claim) || isAs(old.quantity, next, claim)),
};

/** @param {Auction} auction @param {Count} standing @param {Count[]} higher */
function steps(auction, standing, higher) {
  const faceOf = new Map(higher.map((claim) => [ranked(auction, claim).face, claim.face]));
  const [old, ranks] = [ranked(auction, standing), higher.map((claim) => ranked(auction, claim))];
  const found = STEPS[auction.counting.order](old, ranks, nextFace(old, ranks));
  return found.map(({ quantity, face }) => ({ quantity, face: /** @type {number} */ (faceOf.get(face)) }));
}

/** @param {Count} one @param {Count} other */
const ascending = (one, other) => one.quantity - other.quantity || one.face - other.face;

/**
 * @param {Auction} auction
 * @param {Count | null} standing
 * @returns {Count} The smallest of the smallest steps up from the standing claim; there is one.
 */
export function smallestClaim(auction, standing) {
  const higher = [...legal(auction, standing)];
  if (standing === null || auction.palifico) return higher[0];
  if (auction.counting.aces !== 'half_double') return steps(auction, standing, higher).sort(ascending)[0];
  const ones = higher.filter((claim) => claim.face === ONE).slice(0, 1);
  const others = higher.filter((claim) => claim.face !== ONE);
  const up = standing.face === ONE ? least(others, (claim) => claim.quantity) : steps(auction, standing, others);
  return [...ones, ...up].sort(ascending)[0];
}

// ---- what counts ----

/**
 * @param {Auction} auction
 * @param {number} face
 * @param {number[]} shown Faces.
 * @returns {number} How many count for this face: those equal to it, and ones while they are wild.
 */
export function holding(auction, face, shown) {
  const wild = auction.wild && face !== ONE;
  return shown.filter((each) => each === face || (wild && each === ONE)).length;
}

/**
 * @param {Auction} auction
 * @param {Count} claim
 * @param {number[]} shown
 * @returns {boolean} Whether they make the claim.
 */
export function holds(auction, claim, shown) {
  const helped = auction.wild && auction.counting.natural && claim.face !== ONE;
  return holding(auction, claim.face, shown) >= claim.quantity && (!helped || shown.includes(claim.face));
}
