import { visibleText } from './normalization.js'

/** What an answer says that may say one of several things: the index of a choice, or why it says none. */
type ChoiceRead =
  | { readonly choice: number }
  | { readonly problem: 'none' | 'several' | 'look-alike'; readonly named: readonly number[] }

/** Every form in which an answer may name a choice, with the index of the choice. */
type Forms = ReadonlyMap<string, number>

/**
 * A function that reads the one choice that an answer states: alone on a line or between marks, or behind words such as "the
 * answer is". What the last line states counts, and nothing else in that line may name another choice. Where the last line
 * states none, nothing in the whole answer may name another one. So "A or B" is neither A nor B.
 *
 * @param choices in their order; where none is a single letter, the letters A, B, C … mean them too
 */
export function choiceReader(choices: readonly string[]): (text: string) => ChoiceRead {
  const forms = formsOf(choices)
  return (text) => {
    const lines = text.split(/\r?\n/u).filter((line) => folded(line) !== '')
    const read = lines.map((line) => readLine(line, forms))
    const stated = [...new Set(read.flatMap((line) => line.stated))]
    if (stated.includes(lookAlike)) return { problem: 'look-alike', named: [] }
    const [choice] = stated
    if (choice === undefined) return { problem: 'none', named: [] }
    const last = read.at(-1)
    const beside = last !== undefined && last.stated.length > 0 ? last.beside : read.flatMap((line) => line.beside)
    const named = [...new Set([...stated, ...beside.flatMap((part) => mentionedIn(part, forms))])]
    return named.length === 1 ? { choice } : { problem: 'several', named }
  }
}

function formsOf(choices: readonly string[]): Forms {
  const texts = choices.map(folded)
  const hasLetters = texts.some((text) => /^\p{L}$/u.test(text)) || texts.length > 26
  const letters = hasLetters ? [] : texts.map((_, at) => String.fromCharCode('a'.charCodeAt(0) + at))
  return new Map([...letters.entries(), ...texts.entries()].map(([at, form]) => [form, at]))
}

/** Instead of a choice: what looks like one, in letters of another script. */
const lookAlike = -1

interface LineRead {
  readonly stated: readonly number[]
  /** The other parts of the line. */
  readonly beside: readonly string[]
}

/** The choices that a line states: as a whole, or between marks, since `B. London` states a letter and its text. */
function readLine(line: string, forms: Forms): LineRead {
  const whole = statedBy(line, forms)
  if (whole !== undefined) return { stated: [whole], beside: [] }
  const parts = line.split(/(?<=[.,;!?:)])\s+|\s+[-–—]\s+/u).map((part) => ({ part, choice: statedBy(part, forms) }))
  return {
    stated: parts.flatMap(({ choice }) => choice ?? []),
    beside: parts.flatMap(({ part, choice }) => (choice === undefined ? [part] : [])),
  }
}

/** Words in front of a choice, such as "So the correct answer is". */
const leadIn =
  /^(?:(?:so|thus|therefore|hence|my|the|final|correct|best|right|answer|choice|option|letter|it|it's|i|choose|pick|select|is|would be)(?![\p{L}\p{N}])[\s:,*_"'`([]*)+/u

function statedBy(part: string, forms: Forms): number | undefined {
  const form = folded(part)
  const bare = folded(form.replace(leadIn, ''))
  const choice = forms.get(form) ?? forms.get(bare)
  return choice === undefined && forms.has(latinized(bare)) ? lookAlike : choice
}

/** The choices that a part names anywhere, as whole words. Letters that look alike count; a single letter must be a capital. */
function mentionedIn(part: string, forms: Forms): readonly number[] {
  const plain = visibleText(part).normalize('NFKC')
  const texts = [plain, latinized(plain)]
  const isNamed = (form: string) =>
    texts.some((text) => (form.length === 1 ? hasWord(text, form.toUpperCase()) : hasWord(text.toLowerCase(), form)))
  return [...forms].flatMap(([form, choice]) => (isNamed(form) ? [choice] : []))
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + word.length])) return true
  return false
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}

const marks = new Set('*_"\'`()[]{}<>#$-.,;:!?。 \t')
const boxed = /\\boxed\{([^{}]*)\}/gu

/** A form in which case does not count, nor do spaces and marks around it. */
function folded(text: string): string {
  const plain = visibleText(text).normalize('NFKC').toLowerCase().replace(boxed, '$1').replace(/\s+/gu, ' ')
  let [start, end] = [0, plain.length]
  while (start < end && marks.has(plain[start] ?? '')) start++
  while (end > start && marks.has(plain[end - 1] ?? '')) end--
  return plain.slice(start, end)
}

/** Cyrillic and Greek letters that look like Latin ones, each in front of it. */
const pairs =
  'аa еe іi јj оo рp сc уy хx ѕs ԁd һh ԛq ԝw вb кk мm нh тt αa βb εe ζz ηh ιi κk μm νn οo ρp τt υy χx'.split(' ')
const latin = new Map(pairs.flatMap((pair) => [pair, pair.toUpperCase()]).map(([from = '', to = '']) => [from, to]))

function latinized(text: string): string {
  return text.replace(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => latin.get(letter) ?? letter)
}
