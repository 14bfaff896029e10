import { type Classify, type JudgeModelResponse, unreadable } from '../model.js'

/** Bridges may put the name of a framework and a dot before the key. */
const reasonKeys: ReadonlySet<string> = new Set([
  ...['finishReason', 'finish_reason', 'finishReasons', 'stopReason', 'stop_reason', 'done_reason', 'doneReason'],
])
/** The values for an answer that is incomplete. */
const cutReasons: ReadonlySet<string> = new Set([
  ...['length', 'max-tokens', 'max-output-tokens', 'max-completion-tokens', 'token-limit', 'model-length'],
  ...['model-context-window-exceeded', 'incomplete', 'content-filter', 'safety', 'recitation'],
])

function wasStopped({ metadata = {} }: JudgeModelResponse): boolean {
  return Object.entries(metadata).some(([key, value]) => {
    const name = key.slice(key.lastIndexOf('.') + 1)
    if (name === 'truncated') return value === true
    const reasons: readonly unknown[] = Array.isArray(value) ? value : [value]
    return (
      reasonKeys.has(name) && reasons.some((reason) => cutReasons.has(String(reason).toLowerCase().replace(/_/g, '-')))
    )
  })
}

/** Marks that models put around their reasoning. Servers without a parser for it leave them in the text. */
const blocks: readonly { readonly open: RegExp; readonly close: RegExp }[] = [
  ...['think', 'thinking', 'thoughts?', 'reasoning', 'reflection', 'analysis', 'scratchpad', 'seed:think'].map(
    (name) => ({
      open: new RegExp(`<${name}>`, 'iu'),
      close: new RegExp(`</${name}>`, 'iu'),
    }),
  ),
  { open: /\[think(?:ing)?\]/iu, close: /\[\/think(?:ing)?\]/iu },
  { open: /◁think▷/u, close: /◁\/think▷/u },
  { open: /<\|begin_of_thought\|>/u, close: /<\|end_of_thought\|>/u },
  { open: /<\|channel\|>(?:analysis|commentary)[^\n]*?<\|message\|>/u, close: /<\|channel\|>final<\|message\|>/u },
]
const endOfText = /(?:<\|(?:im_end|eot_id|end|return|endoftext|end_of_text)\|>|<end_of_turn>)\s*$/u

/** `undefined` when a block does not end, at the start or later. */
export function withoutReasoning(text: string): string | undefined {
  let rest = text
  for (;;) {
    const start = rest.replace(nothing, '')
    const block = blocks.find(({ open }) => open.exec(start)?.index === 0)
    if (block === undefined) return blocks.some((one) => isLeftOpen(start, one)) ? undefined : start
    const end = endOf(start, block)
    if (end === undefined) return undefined
    rest = start.slice(end)
  }
}

const nothing = /^[\s\p{Default_Ignorable_Code_Point}]+/u

/** The block must begin on a line of its own. */
function isLeftOpen(text: string, { open, close }: (typeof blocks)[number]): boolean {
  const last = [...text.matchAll(new RegExp(`^[ \\t]*(?:${open.source})`, 'gimu'))].at(-1)
  return last !== undefined && !close.test(text.slice(last.index))
}

/** A block within it must end as well. */
function endOf(text: string, { open, close }: (typeof blocks)[number]): number | undefined {
  let depth = 0
  for (const { 0: mark, index } of text.matchAll(new RegExp(`${open.source}|${close.source}`, 'giu'))) {
    depth += close.test(mark) ? -1 : 1
    if (depth === 0) return index + mark.length
  }
  return undefined
}

const loneEnd = new RegExp(`^[ \\t]*(?:${blocks.map(({ close }) => close.source).join('|')})`, 'gimu')

/**
 * Splits at the last mark that ends a reasoning block whose beginning the server left out. A quoted mark does not
 * count.
 */
function atLoneEnd(text: string): { readonly before: string; readonly after: string } | undefined {
  const last = [...text.matchAll(loneEnd)].at(-1)
  if (last === undefined) return undefined
  const before = text.slice(0, last.index)
  return before.trimEnd().endsWith(':') ? undefined : { before, after: text.slice(last.index + last[0].length) }
}

const stopped = 'the answer was cut off before its end: give the model more tokens with options.maxTokens'

/** Abstains for an answer that was cut off: the missing part might state the opposite. */
export function unlessCutOff(classify: Classify): Classify {
  return named(classify, (response, context) =>
    wasStopped(response) || withoutReasoning(response.text) === undefined
      ? unreadable('none', stopped)
      : classify(response, context),
  )
}

/** Removes the reasoning before classifying. */
export function ofAnswer(classify: Classify): Classify {
  return named(
    classify,
    unlessCutOff(async (response, context) => {
      const text = (withoutReasoning(response.text) ?? '').replace(endOfText, '')
      const read = (part: string) => classify({ ...response, text: part }, context)
      const parts = atLoneEnd(text)
      if (parts === undefined) return read(text)
      // A model may quote such a mark from what it judges, after its own answer.
      const [draft, judgment] = [await read(parts.before), await read(parts.after)]
      const isSame = draft.status === judgment.status && draft.metadata['label'] === judgment.metadata['label']
      const isOne = isSame || draft.metadata['unread'] === 'none'
      return isOne ? judgment : unreadable('ambiguous', 'the answer says something before the end of its reasoning too')
    }),
  )
}

function named({ name }: Classify, classify: Classify): Classify {
  return Object.defineProperty(classify, 'name', { value: name, configurable: true })
}
