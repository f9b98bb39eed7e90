// The part of a document that has most of a topic, from its pieces: [text] or [text, [[topic, p], …]].

const WORDS = 40;
const AROUND = 120;

export function pieceText(pieces) {
  return pieces.map(([text]) => text).join("");
}

// Where the passage begins and ends; around what was searched for, if something was.
export function passageOf(pieces, topic, said) {
  const text = pieceText(pieces);
  const place = said ? text.toLowerCase().indexOf(said.toLowerCase()) : -1;
  const [begin, end] = place >= 0
    ? [Math.max(place - AROUND, 0), Math.min(place + said.length + AROUND, text.length)]
    : likeliest(pieces, topic, text.length);
  const cut = text.slice(begin, end).split(/\s+/).filter(Boolean).join(" ");
  return { begin, end, text: `${begin > 0 ? "… " : ""}${cut}${end < text.length ? " …" : ""}` };
}

function likeliest(pieces, topic, length) {
  const words = wordsOf(pieces, topic);
  if (!words.length) return [0, Math.min(length, 240)];
  const n = Math.min(WORDS, words.length);
  let sum = 0, best = -1, first = 0;
  words.forEach((word, i) => {
    sum += word.worth - (i >= n ? words[i - n].worth : 0);
    if (i >= n - 1 && sum > best + 1e-9) [best, first] = [sum, i - n + 1];
  });
  return [words[first].begin, words[first + n - 1].end];
}

function wordsOf(pieces, topic) {
  const words = [];
  let place = 0;
  for (const [text, likely] of pieces) {
    const worth = (likely?.find(([number]) => number === topic) ?? [0, 0])[1];
    for (const found of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      words.push({ begin: place + found.index, end: place + found.index + found[0].length, worth });
    }
    place += text.length;
  }
  return words;
}
