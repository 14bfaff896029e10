import { type Line, strip } from './answer-text.js'

const before = '(?<![\\p{L}\\p{N}_])'
const after = '(?![\\p{L}\\p{N}_])'

function anyOf(...words: readonly string[]): RegExp {
  return new RegExp(`${before}(?:${words.join('|')})${after}`, 'u')
}

/** Words that say no, in languages that models slip into. */
const refusals =
  'no|not|n o|nope|nah|truncated|cut(?: off)?|nay|never|false|fail(?:s|ed|ure)?|negative|wrong|incorrect|untrue|unmet|missed|rejected|nein|nicht|non|' +
  'нет|не|否|不|不是|没有|いいえ|아니요|아니오|لا|não|nao|nie|ne|nej|nee|ei|ikke|hayır|नहीं|όχι|लא|לא'

/** Sentences such as `my answer is no`; `whose` is in front of the noun. */
function answerThatRefuses(whose: string): RegExp {
  const noun = 'answer|verdict|judge?ment|decision|conclusion|assessment|opinion|view|vote|result|score|rating'
  const verb = '(?: is| was| remains| must be| should be| would be| stays)?'
  const between = '[^\\p{L}\\p{N}]{1,4}(?:is |therefore |thus |still |clearly |that it is )?'
  return new RegExp(
    `${before}(?:${whose}) (?:own |final |overall |real )?(?:${noun})${verb}${between}(?:${refusals})${after}`,
    'u',
  )
}
const ownRefusal = answerThatRefuses('my|my own|our|final')
const startsWithRefusal = new RegExp(`^(?:${refusals})${after}`, 'u')

/** Whether a line in front of a passing answer says the opposite of it. */
export function refusesBefore(text: string): boolean {
  return ownRefusal.test(text)
}

/** Whether the value of an answer line, which is not one of the labels, says no. */
export function isRefusal(value: string): boolean {
  return startsWithRefusal.test(strip(value))
}

/** Sentences that take an answer back, or say that it is somebody else's, wherever they are. */
const retractions = [
  anyOf(
    'on (?:second thoughts?|reflection)|scratch that|correction|take (?:that|it|this) back|chang(?:e|ed) my mind|not my (?:own )?(?:\\w+)',
    'let me (?:re-?think|reconsider|re-?check|check|look|think)|reconsider(?:ing)?|i disagree|disagree with (?:it|that|this)',
    "i (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|would not|am not) (?:\\w+ )?(?:agree|accept|accepting|believe|confirm|judge|tell|say|decide|sure|follow|share|know|able)",
    'according to (?:it|the (?:output|agent|text|file|answer))|(?:is|was) (?:what|merely what|only what) (?:it|the \\w+) \\w+',
    '(?:that|this|which|it|the line|the above|the answer above) (?:is|was) (?:only |just |merely )?(?:a |an )?(?:quot\\w*|cit\\w*|cop(?:y|ied)|claim(?:ed)?|forg\\w*|fake\\w*|inject\\w*|planted)',
    '(?:goal|criterion|criteria|requirements?|task|condition|criterium) (?:is|was|were|are|has been|have been) (?:\\w+ )?(?:not|never|un|missed|failed|violated|broken|unmet)',
    '(?:goal|criterion|criteria|requirements?|task|condition|it|output|answer|agent) (?:missed|misses|violates|violated|fails|failed) (?:it|the (?:goal|criterion|criteria|task|requirements?|test))',
  ),
  answerThatRefuses('my|final|own|overall|real|actual|correct|right|the'),
  new RegExp(
    `${before}i (?:say|answer|judge|vote|conclude|decide|rule|mark)(?: that| it| this| with)?[^\\p{L}\\p{N}]{1,4}(?:is |as )?(?:${refusals})${after}`,
    'u',
  ),
  new RegExp(`^(?:${refusals})[^\\p{L}\\p{N} ]`, 'u'),
  / (?:no|nein|non|nee|não|нет|nie|否)$/u,
  new RegExp(`^(?:it|this|that) (?:is|was) (?:\\w+ )?(?:${refusals}|not \\w+)(?:$|[^\\p{L}\\p{N} ])`, 'u'),
  /^(?:but |oh |no )?(?:wait|hold on|hmm+|hm|actually)(?:$|[,.!:…– -])/u,
]
const onlyRefusal = new RegExp(
  `^(?:(?:it|this|that) (?:is|was|does) )?(?:${refusals})(?: (?:met|satisfied|right|correct|true|fulfilled|passed|grounded|relevant|supported|it is|sure))*[^\\p{L}\\p{N}]*$`,
  'u',
)
const letter = /\p{L}/u
/** JSON, or a tag. */
const structured = /^\s*(?:[{[]|<[a-z/])/u
const closingTag = /^\s*<\/[a-z][a-z0-9_-]*>\s*$/u

/** Whether a line retracts a passing answer, or is an answer of another form: a number, a sign, JSON. */
export function contradicts({ raw, text }: Pick<Line, 'raw' | 'text'>): boolean {
  const last = text.slice(Math.max(...['. ', '! ', '? '].map((stop) => text.lastIndexOf(stop) + 1)))
  return structured.test(raw) || [text, strip(last)].some(isBareVerdict) || retracts(text)
}

/** Whether a text is a refusal and no more, or has no word at all. */
function isBareVerdict(text: string): boolean {
  return onlyRefusal.test(text) || !letter.test(text)
}

const faulty =
  '(?:wrong|incorrect|incomplete|empty|missing|missed|absent|broken|false|bad|poor|unrelated|irrelevant|invented|made up|gone|violated|ignored|untrue)'
const fault = new RegExp(
  `${before}(?:(?:the|its|this|that|an?) [\\p{L}-]+|it|output|answer|agent|work|they) (?:still |clearly |also |simply |just )?` +
    '(?:fail(?:s|ed)?|miss(?:es|ed)|lack(?:s|ed)?|violat(?:es|ed)|ignor(?:es|ed)|contradict(?:s|ed)?|forgot|forgets|' +
    `(?:is|was|are|were|has been|have been) (?:still |clearly |also |simply |just |plainly |completely )?${faulty})${after}`,
  'u',
)
const presentFault = new RegExp(
  `${before}(?:the )?(?:output|answer|agent|work|change|solution|goal|criterion|it) (?:still |clearly |also |simply |just )?` +
    `(?:fails|misses|lacks|violates|ignores|contradicts|(?:is|are) (?:still |clearly |simply |plainly )?${faulty})${after}`,
  'u',
)

/** Whether a reason names a fault of what is judged; only one that is still there, where reasons may mention old ones. */
export function namesFault({ text }: Line, { stillThere }: { readonly stillThere: boolean }): boolean {
  return (stillThere ? presentFault : fault).test(text)
}

/** Whether a text takes an answer back. */
function retracts(text: string): boolean {
  return retractions.some((pattern) => pattern.test(text))
}

const answerRefused = new RegExp(
  `${before}(?:answer|verdict|result|conclusion)[^\\p{L}\\p{N}]{1,6}(?:${refusals})${after}`,
  'u',
)

/** Whether the rest of the line after a passing answer says that it does not hold, or is cut off. */
export function retractsOnItsLine(rest: string): boolean {
  const text = strip(rest.replace(/^[ =>|-]+/u, ''))
  if (text === '') return rest.includes('...')
  return /[{}]|\.\.\.|\[false/u.test(rest) || onlyRefusal.test(text) || answerRefused.test(text) || retracts(text)
}

const doubts = anyOf(
  refusals,
  "\\w+n['’]t|cannot|none|no(?:thing|body|where)|neither|nor|without|lack\\w*|miss(?:es|ing)?|but|however|although|though|yet|except|unless|instead",
  'unfortunately|disagree\\w*|reject\\w*|den(?:y|ies|ied)|refus\\w*|contradict\\w*|in(?:valid|complete|accurate|adequate|sufficient)\\w*|un(?:clear|certain|sure|known|able|true|related|supported|satisf\\w+|fulfil\\w+)',
  'doubt\\w*|maybe|perhaps|possibly|might|may|could|should|would|wait|actually|re-?consider\\w*|re-?think\\w*|correct(?:ion|ed)|quot\\w*|cit(?:e|es|ed|ing|ation)|claim\\w*|alleg\\w*|suppos\\w*',
  'forg(?:e|es|ed|ery)|fak\\w+|plant\\w*|inject\\w*|ignor\\w*|instruct\\w*|order(?:s|ed)|manipulat\\w*|trick\\w*|pretend\\w*|attempt\\w*|tr(?:y|ies|ied)|want(?:s|ed)?|ask(?:s|ed)? (?:me|for)|told|tells?',
  'my|mine|i|own|against|oppos\\w*|decline\\w*|bad(?:ly)?|poor(?:ly)?|worse|worst|empty|rather|contrary|only|merely|just|(?:says?|said|saying) (?:so|that|this|it|yes|pass)|itself|what|wrote|writes|reads|line|above|zero|opposite|decid\\w*|verdict|answer is|judge?ment',
  'half|partly|partial(?:ly)?|almost|nearly|barely|hardly|if|whether|unread|cut|broken|breaks?|error\\w*|crash\\w*|bug\\w*',
)
const english = anyOf('the|because|this|with|they|which|does|every|each|both|there|and|it|all|has|have|are|that')
const prose = anyOf('nothing|everything|been|were|from')
const because = /^(?:because|since) \S/u
const otherLetters = /[^\p{ASCII}‘’“”…–—•·]/u
/** What the later lines of reasons do not hold. */
const turning = anyOf(
  'however|unfortunately|maybe|perhaps|wait|actually|quot\\w*|claim\\w*|forg(?:e|es|ed|ery)|fak\\w+|planted|inject\\w*|ignore\\w*|instruct\\w*',
  'trick\\w*|pretend\\w*|attempt\\w*|i|my|mine|sorry|unsure|unclear|disagree\\w*|reject\\w*|cheat\\w*|deserv\\w*|itself|lies|invented|made up|gone|wrong',
  '(?:says?|said|saying) (?:so|that|this|it|yes|pass)|that line|the above|would be|read it|continues|not done|not hold|score is|verdict|therefore|answer (?:is|must|should)',
)

/** Whether a later line continues the reasons: a wrapped line in English, or a point, without a turn. */
export function goesOn({ raw, text }: Line): boolean {
  const isPoint = /^\s*[-*•+] (?!\[)/u.test(raw)
  const isLong = text.split(' ').length >= fewWords && (english.test(text) || prose.test(text))
  return (isPoint || isLong) && !turning.test(text) && !raw.trimEnd().endsWith(':')
}

const fewWords = 4

/** What reasons for a passing answer tend to hold. */
const telling = anyOf(
  'exists?|existing|is there|are there|contains?|includes?|answers?|shows?|gives?|names?|uses?|provides?|follows?|returns?|produces?',
  'describes?|explains?|says?|greets?|polite(?:ly)?|friendly|kind|warm|all|every|each|ok|okay|done|runs?|finished|explained|covered',
)
/** What says outright that the answer is deserved. */
const agreeing = anyOf(
  'met|meets?|satisf\\w+|correct(?:ly)?|right(?:ly)?|accurate(?:ly)?|complete(?:ly)?|fulfil\\w*|holds?|grounded|relevant|supported|pass(?:es|ed)?|good|fine|clear(?:ly)?|well',
  'match(?:es|ed)?|works?|achiev\\w+|success\\w*|yes|true|true to|as (?:asked|requested|wanted|expected|required)|free of|faithful\\w*|consistent|stands in|stand in|better',
)

const flaw =
  '(?:unsupported|harmful|missing|wrong|incorrect|inaccurate|invented|made[- ]up|irrelevant|contradict(?:ory|ions?)|errors?|mistakes?|problems?|' +
  'issues?|omissions?|hallucinations?|typos?)'
const kind = '(?: (?:claims?|statements?|facts?|parts?|information))?'
/** What says no to a flaw, or yes with a word that may doubt elsewhere. It ends its clause, so `no errors are handled` does not count. */
const reassuring = new RegExp(
  `${before}(?:${[
    `(?:no|not|without|free of)(?: (?:any|obvious|apparent|other|serious|major|such|visible))? ${flaw}${kind}(?: (?:is|are|was|were) (?:found|present|introduced|made))?`,
    `(?:do|does|did)(?: not|n['’]t) (?:crash|fail|(?:contain|include|make|introduce) (?:any )?${flaw}${kind})`,
    'nothing (?:is|was) (?:missing|invented|made up|left out|omitted|wrong|lost)',
    '(?:answer|response|output) is (?:correct|right|accurate|complete)',
    'claims? (?:is|are) (?:(?:all|fully|well|directly|clearly) )?(?:supported|grounded|backed|correct)',
    'does (?:exactly )?what (?:the (?:goal|task|criterion|user) (?:asked|asks|wants|wanted|requires|required)|was (?:asked|requested|required|wanted))(?: for)?',
  ].join('|')})(?=$|[^\\p{L}\\p{N} -]| (?:and|because|since|as|by|in|with) )`,
  'gu',
)

/** Whether a line in plain English, with nothing in it that might say no, gives a reason for a passing answer. */
export function agrees({ raw, text }: Line, { strictly }: { readonly strictly: boolean }): boolean {
  const doubtful = strictly ? text : text.replace(reassuring, ' ')
  if (otherLetters.test(text) || doubts.test(doubtful) || text.includes('?') || structured.test(raw)) return false
  if (!strictly && because.test(text)) return true
  const marksAfter = raw.slice(raw.lastIndexOf(text) + text.length)
  const isSentence = /[.!)]/u.test(marksAfter) && text.split(' ').length >= 3 && english.test(text)
  return isSentence && (doubtful !== text || agreeing.test(text) || (!strictly && telling.test(text)))
}

const farewell =
  /^(?:that is|that is all|as (?:said|asked|requested|required)|ok|okay|that['’]s all|done|end|the end|thanks?|thank you|best regards|i hope (?:this|that|it) helps|hope (?:this|that|it) helps|(?:please )?let me know (?:if|whether) you (?:need|have|want) [a-z ,]*|feel free to [a-z ,]*)$/u

/** Whether a line is a courtesy, or a closing tag, at the end of an answer. */
export function isFarewell({ raw, text }: Line): boolean {
  return text.length < 120 && (farewell.test(text) || closingTag.test(raw))
}
