import { jsonDifference, readJson } from '../answers/json-text.js'
import type { JudgmentContext } from '../context.js'
import { frozenJson, isPlainObject, type Json } from '../json.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge, pathOption } from '../judge-description.js'
import { abstain, concluded, error, type Judgment } from '../judgment.js'
import { checkOptions, described, type OptionDescriptions, option, optionInvalid } from '../options.js'
import { textOutput } from '../output.js'
import { numerical } from '../score.js'
import { unjudgeable } from '../unjudgeable.js'

/** The key under which a fixture of tools records its final state. */
const defaultKey = 'mcp.state'

/** Options of `stateEquals`. */
export interface StateEqualsOptions {
  /** The expected state. Default: `expectedState` in the item's metadata; without it the judge abstains. */
  readonly expected?: Json | ((context: JudgmentContext) => Json)
  /** The file of the workspace that contains the state as JSON. Default: the state is in the metadata. */
  readonly file?: string
  /** The key of the metadata that contains the state, as `mcpFixture` records it. Default `mcp.state`. */
  readonly key?: string
  /** `contains`: the state may have more fields. Default `equal`. */
  readonly by?: 'equal' | 'contains'
}

const anyJson = {
  ...option.anything,
  schema: { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] },
}

const stateOptions: OptionDescriptions<StateEqualsOptions> = {
  expected: described(anyJson, 'The expected state. Default: the metadata expectedState of the item.'),
  file: {
    ...pathOption,
    description: 'The file of the workspace that holds the state as JSON. Default: the state is in the metadata.',
  },
  key: described(option.string, 'The key of the metadata that holds the state.', defaultKey),
  by: described(option.oneOf('equal', 'contains'), 'Whether the state may have more fields: contains.', 'equal'),
}

/**
 * Passes when the agent left the expected state, no matter how. The state is a JSON file of the workspace, or the state
 * that `mcpFixture` records in the metadata. Each difference is a check, named by its JSON pointer; the score is the
 * share of equal values.
 *
 * Only the agent function can record a state in the metadata, not the program or the model behind it: use `mcpFixture`,
 * or a file.
 *
 * Abstains without an expected state, or where no state is recorded. A file that is missing or is not JSON is a fail.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { stateEquals } from '@jurist/core/tools'
 *
 * stateEquals({ file: 'orders.json', expected: { cancelled: ['A-1'] }, by: 'contains' })
 */
export function stateEquals(options?: StateEqualsOptions): Judge {
  const given = checkOptions('stateEquals', options, stateOptions)
  const { expected, file, key = defaultKey, by = 'equal' } = given
  if (file !== undefined && options?.key !== undefined)
    optionInvalid('key', 'stateEquals: give "file" or "key", not both.')
  return giveInfo(
    async function stateEquals(context) {
      const wanted =
        typeof expected === 'function' ? expected(context) : (expected ?? context.metadata['expectedState'])
      if (wanted === undefined)
        return abstain('no state is expected: give the option "expected", or the item the metadata "expectedState"')
      const found = file === undefined ? recorded(context, key) : await readState(context, file)
      if ('judgment' in found) return found.judgment
      return compared(found.state, frozenJson(wanted, ['expected']), by)
    },
    { options: given },
  )
}

describeJudge<StateEqualsOptions>(stateEquals, {
  passes: 'the state that the agent left is the expected one',
  options: stateOptions,
  make: (options) => stateEquals(options),
})

type Found = { readonly state: Json } | { readonly judgment: Judgment }

function recorded({ metadata }: JudgmentContext, key: string): Found {
  const state = metadata[key]
  if (state !== undefined) return { state: frozenJson(state, [key]) }
  const metadataOfNone = { 'state-unknown': true }
  return { judgment: abstain(`no state is recorded: the metadata has no "${key}"`, { metadata: metadataOfNone }) }
}

async function readState({ workspace }: JudgmentContext, file: string): Promise<Found> {
  const read = readJson(textOutput(await workspace.read(file)), false)
  if ('value' in read) return { state: read.value }
  const problems = {
    'json-invalid': 'is not valid JSON',
    'json-ambiguous': 'is not JSON that can be compared',
    'too-large': 'is too large to compare',
  }
  return { judgment: unjudgeable(`${file} ${problems[read.code]}`, { code: read.code, path: file }) }
}

function compared(found: Json, expected: Json, by: 'equal' | 'contains'): Judgment {
  const state = by === 'equal' ? found : knownFields(found, expected)
  const { checks, matched, total, differing } = jsonDifference(state, expected, {})
  if (total === 0) return error('there is nothing to compare')
  const [first] = checks
  const words =
    first === undefined
      ? 'the state is the expected one'
      : `${differing} ${differing === 1 ? 'place differs' : 'places differ'}: ${first.name} ${first.message}${differing > 1 ? ', …' : ''}`
  return concluded(differing === 0, words, {
    score: numerical(matched / total),
    checks: first === undefined ? [{ name: 'state', passed: true, message: '' }] : checks,
    metadata: { matched, total, differing },
  })
}

/** Leaves out fields that the expected state does not have. */
function knownFields(found: Json, expected: Json): Json {
  if (Array.isArray(found) && Array.isArray(expected))
    return found.map((one: Json, index) => (index < expected.length ? knownFields(one, expected[index] as Json) : one))
  if (!isPlainObject(found) || !isPlainObject(expected)) return found
  const [given, wanted] = [found as { readonly [name: string]: Json }, expected as { readonly [name: string]: Json }]
  const names = Object.keys(wanted).filter((name) => Object.hasOwn(given, name))
  return Object.fromEntries(names.map((name) => [name, knownFields(given[name] as Json, wanted[name] as Json)]))
}
