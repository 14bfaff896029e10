import { lineFinder } from '../mutate/mutants.js'
import { isReadableTest, readTest } from '../test-code/read-test.js'
import type { VisibleTexts } from './choose-variants.js'
import { demandsIn, type TestContext } from './demands-in.js'
import type { Demand, HiddenDemand } from './hidden-demand.js'
import { shellDemands } from './shell-demands.js'
import { isWordIn } from './variant.js'

/** The demands of the hidden tests of an item. */
export interface HiddenDemands {
  readonly demands: readonly HiddenDemand[]
  /** Hidden tests that cannot be read: nothing is said of them. */
  readonly notChecked: readonly string[]
}

/**
 * Finds words that the hidden tests of an item demand, and that neither its task nor a file that agents see says. Values
 * that a solution computes, and what a test itself gives to the solution, are not looked at.
 */
export async function hiddenDemands(tests: ReadonlyMap<string, string>, visible: VisibleTexts): Promise<HiddenDemands> {
  const said = saidIn(visible)
  const [found, notChecked] = [new Map<string, HiddenDemand>(), [] as string[]]
  const data = [...tests].filter(([path]) => !isCode(path)).map(([, text]) => text)
  const around: TestContext = { tests: [...tests.keys()], visible: visible.files, data: data.join('\n') }
  for (const [path, text] of tests) {
    if (!isCode(path)) continue
    const demands = await demandsOf(path, text, around)
    if (demands === undefined) notChecked.push(path)
    const lineOf = lineFinder(text)
    for (const { kind, word, at } of demands ?? [])
      if (!found.has(word) && !said(word)) found.set(word, { kind, word, path, line: lineOf(at) })
  }
  return { demands: [...found.values()], notChecked }
}

const isCode = (path: string) => /\.(?:[cm]?[jt]sx?|py|java|sh|go|rs|rb|php|cs|kt|scala|c|cc|cpp|cxx)$/.test(path)

async function demandsOf(path: string, text: string, around: TestContext): Promise<readonly Demand[] | undefined> {
  if (path.endsWith('.sh')) return shellDemands(text)
  const test = isReadableTest(path) ? await readTest(path, text) : undefined
  return test === undefined ? undefined : demandsIn(test, { ...around, path, source: text })
}

/** Whether something says a word: also in other letters, with other signs between its parts, or in the plural. */
function saidIn({ task, tests, files }: VisibleTexts): (word: string) => boolean {
  const whole = [task, ...tests, ...files.keys(), ...files.values()].join('\n').toLowerCase()
  const words = new Set((whole.match(/[\w$-]+/g) ?? []).map(plain))
  // Parts of a name may be words of a sentence.
  const letters = plain(whole)
  const isSaid = (short: string) =>
    short.length < 3 ||
    words.has(short) ||
    words.has(`${short}s`) ||
    words.has(short.replace(/e?s$/, '')) ||
    (short.length > 7 && letters.includes(short))
  return (word) =>
    isSaid(plain(word)) ||
    isSaid(plain(word.replace(/^(?:get|set|is|has)(?=[A-Z_])/, ''))) ||
    isWordIn(whole, word.toLowerCase())
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
