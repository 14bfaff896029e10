import type { Line } from './answer-text.js'

const voices =
  /(?<![\p{L}])(?:says?|said|saying|claim(?:s|ed|ing)?|stat(?:es|ed|ing)|reads?|contain(?:s|ed|ing)?|includ(?:es|ed|ing)|writes?|wrote|written|writing|print(?:s|ed|ing)?|end(?:s|ed|ing)?|beg[iua]n(?:s|ning)?|start(?:s|ed|ing)?|quot(?:es?|ed|ing|ation)|cit(?:es?|ed|ing)|tells?|told|asks?|asked|tr(?:y|ies|ied|ying)|wants?|wanted|demand(?:s|ed|ing)?|instruct(?:s|ed|ing)?|inject(?:s|ed|ion|ing)?|output|text|lines?|agent|file|document|page|data|excerpt|quote|passage|candidate|it|they)(?![\p{L}])/u
const concluding = /(?<![\p{L}])(?:so|thus|hence|therefore|then)[^\p{L}]*$/u
const own =
  /(?<![\p{L}])(?:my|our|final|overall)(?: own)?(?: final| overall)? (?:answer|verdict|judge?ment|decision|conclusion|assessment|evaluation|score|rating|grade|vote|line)(?![\p{L}])/u
const opens = /[:\-–—…]["'“‘`*_~\s]*$/u
const continuing = /^(?:so|thus|hence|therefore|which)(?![\p{L}])/u
const reasons = /^(?:reason(?:s|ing)?|rationale|explanation)(?![\p{L}])/u
const listed = /^\s*(?:[-*•+]|\d{1,3}[.)]) /u
const longestSentence = 300

/**
 * For each line, whether it is a quotation: it stands in a block quote beside lines that do not, or after a line such as
 * `The output says:`, as far as that goes.
 */
export function quotedLines(lines: readonly Line[]): readonly boolean[] {
  const isBlock = (line: Line) => line.raw.trimStart().startsWith('>')
  const isMixed = lines.some((line) => !isBlock(line))
  let isOpen = false
  return lines.map((line, index) => {
    const previous = lines[index - 1]
    if (previous !== undefined && introduces(previous)) isOpen = !isPoint(line)
    else if (continuing.test(line.text) || reasons.test(line.text)) isOpen = false
    return isOpen || (isMixed && isBlock(line))
  })
}

/** Whether a line is a point of a list, and no quoted answer in one. */
function isPoint({ raw }: Line): boolean {
  return listed.test(raw) && !/[:=]/.test(raw)
}

/** Whether a line announces somebody else's words. */
export function introduces({ raw, text }: Pick<Line, 'raw' | 'text'>): boolean {
  const after = raw.slice(raw.lastIndexOf(text) + text.length)
  if (!opens.test(after)) return false
  const end = text.slice(-longestSentence)
  const sentence = end.slice(Math.max(...['.', '!', '?'].map((stop) => end.lastIndexOf(stop))) + 1)
  return voices.test(sentence) && !concluding.test(sentence) && !own.test(sentence)
}
