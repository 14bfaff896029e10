import { trajectoryTypes } from './trajectory.js'

type Row = Readonly<Record<string, unknown>>

/** The assertions that a cell may name before a colon, beside those that need only the name. */
const types: ReadonlySet<string> = new Set([
  ...['answer-relevance', 'bleu', 'classifier', 'contains', 'contains-all', 'contains-any', 'contains-html'],
  ...['contains-json', 'contains-sql', 'contains-xml', 'context-faithfulness', 'context-recall', 'context-relevance'],
  ...['conversation-relevance', 'cost', 'equals', 'factuality', 'finish-reason', 'g-eval', 'gleu', 'guardrails'],
  ...['icontains', 'icontains-all', 'icontains-any', 'is-html', 'is-json', 'is-refusal', 'is-sql'],
  ...['is-valid-function-call', 'is-valid-openai-function-call', 'is-valid-openai-tools-call', 'is-xml', 'javascript'],
  ...['latency', 'levenshtein', 'llm-rubric', 'meteor', 'model-graded-closedqa', 'model-graded-factuality'],
  ...['moderation', 'perplexity', 'perplexity-score', 'pi', 'python', 'regex', 'rouge-n', 'ruby', 'similar'],
  ...trajectoryTypes,
  ...['starts-with', 'trace-error-spans', 'trace-span-count', 'trace-span-duration', 'webhook', 'word-count'],
])

/** Other names of assertions in cells. */
const aliases: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' }

/** These have a threshold, without one in the cell this. */
const thresholds: Readonly<Record<string, number>> = { cost: 0.75, latency: 0.75, levenshtein: 0.75, similar: 0.8 }

/** A test of promptfoo as its CSV files write it: columns are variables, those with `__` the rest of the test. */
export function testOfCsvRow(row: Row): Row {
  const vars: [string, unknown][] = []
  const assert: Row[] = []
  const metadata: [string, unknown][] = []
  const rest: [string, unknown][] = []
  for (const [given, value] of Object.entries(row)) {
    const key = given.trim()
    const text = String(value)
    if (!key.startsWith('__')) vars.push([key, value])
    else if (text.trim() === '') continue
    else if (/^__expected\d*$/.test(key)) assert.push(assertionOf(text.trim()))
    else if (key === '__threshold') rest.push(['threshold', Number(text)])
    else if (key === '__description') rest.push(['description', text])
    else if (key.startsWith('__metadata:')) metadata.push([key.slice('__metadata:'.length), text])
    else rest.push([key, text])
  }
  const metric = rest.find(([key]) => key === '__metric')?.[1]
  return {
    ...Object.fromEntries(rest.filter(([key]) => key !== '__metric')),
    vars: Object.fromEntries(vars),
    assert: metric === undefined ? assert : assert.map((one) => ({ ...one, metric })),
    ...(metadata.length > 0 ? { metadata: Object.fromEntries(metadata) } : {}),
  }
}

/** An assertion such as `not-icontains: sorry` or `latency(500)`; any other text must be the answer. */
function assertionOf(text: string): Row {
  if (/^file:\/\/.*\.(?:py|[cm]?[jt]s)(?::\w+)?$/.test(text)) return { type: 'javascript', value: text }
  const [, not = '', name = '', threshold, value] =
    /^(not-)?((?:trajectory:)?[a-z][a-z-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/.exec(text) ?? []
  const type = aliases[name] ?? name
  if (!types.has(type)) return { type: 'equals', value: text }
  const limit = threshold === undefined ? thresholds[type] : Number(threshold)
  const isList = /^i?contains-a(?:ll|ny)$/.test(type)
  const content = isList ? value?.split(',').map((part) => part.trim()) : value?.trim()
  return {
    type: `${not}${type}`,
    ...(content === undefined || content === '' ? {} : { value: content }),
    ...(limit === undefined || !(threshold !== undefined || type in thresholds) ? {} : { threshold: limit }),
  }
}
