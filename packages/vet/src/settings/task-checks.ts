import { posix } from 'node:path'
import { programName } from '@jurist/experiment/internal'
import { isReadableTest } from '../test-code/read-test.js'
import type { HiddenDemand } from '../variants/hidden-demand.js'
import { hiddenDemands } from '../variants/hidden-demands.js'
import { imageOf, type TaskImage, writtenBy } from './image.js'
import type { TaskCheckName, TaskFinding, TaskFindings } from './task-finding.js'
import { type TestCheck, type TestFacts, testFacts } from './test-facts.js'
import { isCheck, rewardOf, type ScriptPart, scriptOf } from './verifier-script.js'

/** The files of a Harbor task. */
export interface TaskFiles extends TaskSettings {
  /** The texts by their paths below the task, such as `tests/test.sh`. */
  readonly texts: ReadonlyMap<string, string>
  /** All paths, also those of files that are not text. */
  readonly paths: readonly string[]
  /** Files that agents see besides those of `environment/`. */
  readonly seen?: ReadonlyMap<string, string>
}

/** The settings in `task.toml`. */
export interface TaskSettings {
  readonly hasAgentTimeout: boolean
  /** Whether the verifier has a network. */
  readonly hasNetwork: boolean
}

interface Site extends TaskFiles {
  readonly image: TaskImage | undefined
  /** The commands of tests/test.sh. */
  readonly script: readonly ScriptPart[]
  readonly instruction: string
  /** The files of tests. */
  readonly read: ReadTests['read']
  readonly demands: readonly HiddenDemand[]
}

type Found = Omit<TaskFinding, 'check' | 'remedy' | 'level'> & { readonly level?: 'defect' | 'note' }
type Check = (site: Site) => readonly Found[]

/** Checks the files of a Harbor task by reading them. Nothing runs. */
export async function checkTask(task: TaskFiles): Promise<TaskFindings> {
  const { texts } = task
  const notChecked: { file: string; reason: string }[] = []
  const dockerfile = texts.get('environment/Dockerfile')
  const image = dockerfile === undefined ? undefined : await imageOf(dockerfile, texts)
  for (const { file, line } of image?.unread ?? []) notChecked.push({ file, reason: `line ${line} cannot be read` })
  const script = scriptOf(texts.get('tests/test.sh') ?? '')
  if (script === undefined) notChecked.push({ file: 'tests/test.sh', reason: 'is not a script of a shell' })
  const tests = new Map([...texts].filter(([path]) => path.startsWith('tests/')))
  const { read, notChecked: unread } = await readTests(tests)
  const instruction = texts.get('instruction.md') ?? ''
  const files = new Map([...texts].filter(([path]) => path.startsWith('environment/')))
  const { demands } = await hiddenDemands(tests, {
    task: instruction,
    tests: [],
    files: new Map([...files, ...(task.seen ?? [])]),
  })
  const site: Site = { ...task, image, script: script ?? [], instruction, read, demands }
  return { findings: foundBy(Object.keys(checks) as TaskCheckName[], site), notChecked: [...notChecked, ...unread] }
}

function foundBy(names: readonly TaskCheckName[], site: Site): readonly TaskFinding[] {
  return names.flatMap((check) => {
    const [find, level, remedy] = checks[check]
    return find(site).map((found): TaskFinding => ({ check, level, remedy, ...found }))
  })
}

interface ReadTests {
  readonly read: readonly { readonly file: string; readonly facts: TestFacts }[]
  readonly notChecked: TaskFindings['notChecked']
}

async function readTests(texts: ReadonlyMap<string, string>): Promise<ReadTests> {
  const [read, notChecked]: [{ file: string; facts: TestFacts }[], { file: string; reason: string }[]] = [[], []]
  for (const [file, text] of texts) {
    if (!/\.(?:[cm]?[jt]sx?|py|java|go|rs|rb|php|c|cpp|cs)$/.test(file)) continue
    const facts = await testFacts(file, text)
    if (facts !== undefined) read.push({ file, facts })
    else notChecked.push({ file, reason: isReadableTest(file) ? 'does not parse' : 'its language is not read' })
  }
  return { read, notChecked }
}

/** The absolute paths of the files that the commands of a script and its tests compare. */
export async function comparedBy(
  commands: readonly (readonly string[])[],
  texts: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const { read } = await readTests(texts)
  const inShell = commands.flatMap(([program = '', ...words]) => (comparing.test(programName(program)) ? words : []))
  const inTests = read.flatMap(({ facts }) =>
    facts.tests.flatMap(({ checks: own }) => own.flatMap(({ sides }) => sides.flatMap(({ paths }) => [...paths]))),
  )
  return [...new Set([...inTests, ...inShell.filter((word) => word.startsWith('/'))])]
}

const comparing = /^(?:diff|cmp|comm)$/

/** Checks that say something of tests alone, without the files of a Harbor task. */
const ofTestsAlone: readonly TaskCheckName[] = [
  'wall-clock',
  'self-consistent',
  'name-decides',
  'literals-only',
  'empty-check',
]

/** Checks hidden tests of any item by reading them. Nothing runs. */
export async function checkTests(texts: ReadonlyMap<string, string>, instruction: string): Promise<TaskFindings> {
  const { read, notChecked } = await readTests(texts)
  const nothing = { image: undefined, script: [], paths: [], demands: [], hasAgentTimeout: true, hasNetwork: true }
  return { findings: foundBy(ofTestsAlone, { ...nothing, texts, instruction, read }), notChecked }
}

const testScript = 'tests/test.sh'
const verifierName = /verif|grad(?:e|ing)|check|valid|judge|scor|assess|eval/i
const verdictWord = /^\W*(?:pass(?:ed)?|success|ok|true|correct|valid|accepted|yes)\W*$/i

/** Whether a path is a file that the agent finds and can change. */
function isInImage({ image }: Site, path: string): boolean {
  return image?.made.has(path) === true
}

/** Whether the task names a file, or the directory that it is in. */
function isInput({ instruction }: Site, path: string): boolean {
  const named = (instruction.match(/[\w.~/-]+/g) ?? []).map((word) => word.replace(/[./]+$/, ''))
  return named.some((word) =>
    word.startsWith('/') ? word === path || word === posix.dirname(path) : path.endsWith(`/${word}`) && word !== '',
  )
}

const testsOf = ({ read }: Site) =>
  read.flatMap(({ file, facts }) => facts.tests.map((test) => ({ file, facts, ...test })))

/** The files of the image that test.sh or a test of it replaces before it runs. */
function restored({ script }: Site): ReadonlySet<string> {
  return new Set(
    script.flatMap((part) => (part.words.some((word) => word.startsWith('/tests/')) ? writtenBy(part) : [])),
  )
}

const writableVerifier: Check = (site) => {
  const own = restored(site)
  const isOpen = (path: string) => isInImage(site, path) && !own.has(path)
  const inShell = site.script.flatMap(({ words, line, writes }, index): Found[] => {
    const path = words.find(isOpen)
    const runs = /^(?:python[\d.]*|node|ruby|perl|bash|sh)$/.test(programName(words[0] ?? '')) || path === words[0]
    if (path === undefined || !runs || isInput(site, path)) return []
    const later = site.script.slice(index).flatMap((part) => (part.words[0] === 'grep' ? part.words.slice(1) : []))
    const decides = later.some((word) => verdictWord.test(word) || writes.includes(word)) || verifierName.test(path)
    return decides ? [{ file: testScript, line, what: `runs ${path}, which the agent can change` }] : []
  })
  const tests = testsOf(site)
  const inPython = tests.flatMap(({ file, runs, checks, name }): Found[] => {
    const run = runs.find(({ path }) => isOpen(path))
    if (run === undefined) return []
    const isVerdict = checks.some(
      ({ sides, literals, text }) =>
        sides.some(({ kinds }) => kinds.has('run')) &&
        (literals.some((word) => verdictWord.test(word)) || (/returncode/.test(text) && verifierName.test(run.path))),
    )
    if (!isVerdict) return []
    const others = tests.filter((test) => test.name !== name && test.runs.length === 0 && test.checks.length > 0)
    const level = others.some(({ checks: own }) => own.some(isComputed)) ? { level: 'note' as const } : {}
    return [{ file, line: run.line, what: `takes the word of ${run.path}, which the agent can change`, ...level }]
  })
  return [...inShell, ...inPython]
}

const isComputed = ({ sides }: TestCheck) => sides.some(({ kinds }) => kinds.has('computed') || kinds.has('run'))

const unconditionalReward: Check = ({ script, texts }) => {
  const full = script.filter((part) => rewardOf(part) === 'full')
  const checked = script.filter(isCheck)
  const swallowed = checked.find(({ isSwallowed }) => isSwallowed)
  return full.flatMap((part): Found[] => {
    const place = { file: testScript, line: part.line }
    const isFree = part.depth === 0 && !part.isChained
    const earlier = script.filter((one) => one.from < part.from)
    const mayEnd = earlier.some(
      (one) => one.words[0] === 'exit' && (one.depth > 0 || one.isChained) && !/^0?$/.test(one.words[1] ?? ''),
    )
    const decides = earlier.some((one) => one.endsScript && isCheck(one))
    const isReplaced = script.some(
      (one) =>
        one.from > part.from && ['none', 'other'].includes(rewardOf(one) ?? '') && (one.depth > 0 || one.isChained),
    )
    if (isFree && !mayEnd && !decides && !isReplaced)
      return [{ ...place, what: 'writes the reward 1 whatever the check says' }]
    const readsCode =
      swallowed !== undefined && /\$\?/.test((texts.get(testScript) ?? '').slice(swallowed.to, part.from))
    if (readsCode && !isFree && checked.length === 1)
      return [{ ...place, what: `writes the reward 1, since line ${swallowed.line} ignores that the check failed` }]
    return []
  })
}

const noRewardOnFailure: Check = ({ script }) => {
  const first = script.find((part) => rewardOf(part) !== undefined)
  const isTrapped = script.some(({ words }) => words[0] === 'trap')
  const ending = script.find((part) => part.endsScript && part.depth === 0 && isCheck(part))
  if (first === undefined || isTrapped || ending === undefined || ending.from > first.from) return []
  return [
    { file: testScript, line: ending.line, what: 'a check that fails ends the script before a reward is written' },
  ]
}

/** The files of the image with which the verifier compares what the agent made. */
function truths(site: Site): readonly Found[] {
  const isTruth = (path: string) => isInImage(site, path) && !isInput(site, path)
  const inPython = testsOf(site).flatMap(({ file, checks }) =>
    checks.flatMap(({ line, sides }) => {
      if (sides.length < 2) return []
      return sides.flatMap((side, index) => {
        const others = sides.filter((_, other) => other !== index)
        const isCompared = others.some(
          ({ paths, kinds }) => kinds.has('run') || [...paths].some((path) => !side.paths.has(path)),
        )
        // What the test computes with is an input, and not the answer.
        const isPlain = !side.kinds.has('computed') && !side.kinds.has('run')
        const path = [...side.paths].find(isTruth)
        return path === undefined || !isCompared || !isPlain ? [] : [{ file, line, path }]
      })
    }),
  )
  const inShell = site.script.flatMap(({ words, line }) => {
    if (!comparing.test(programName(words[0] ?? ''))) return []
    const path = words.find(isTruth)
    return path === undefined ? [] : [{ file: testScript, line, path }]
  })
  return [...inPython, ...inShell].map(({ path, ...place }) => ({ ...place, what: path }))
}

const truthInImage: Check = (site) =>
  truths(site).map(({ what, ...place }) => ({
    ...place,
    what: `compares with ${what}, which is in the image (Dockerfile, line ${site.image?.made.get(what)?.line}) and not an input of the task`,
  }))

const referenceReadsTruth: Check = (site) => {
  const file = 'solution/solve.sh'
  const lines = (site.texts.get(file) ?? '').split('\n')
  const known = new Set(truths(site).map(({ what }) => what))
  return lines.flatMap((text, index): Found[] => {
    const path = [...known].find((one) => text.includes(one)) ?? /(?<![\w.])\/tests\/[\w./-]+/.exec(text)?.[0]
    if (path === undefined || /^\s*#/.test(text)) return []
    return [{ file, line: index + 1, what: `reads ${path}, with which the verifier compares` }]
  })
}

const solutionInImage: Check = ({ image, paths, texts }) => {
  const ignored = (texts.get('environment/.dockerignore') ?? '')
    .split('\n')
    .map((one) => one.trim().replace(/^\.?\/|\/$/g, ''))
  const composed = [...texts].some(
    ([path, text]) => /docker-compose\.ya?ml$/.test(path) && /context:\s*["']?\.\./.test(text),
  )
  return (image?.copied ?? []).flatMap(({ source, ...place }): Found[] => {
    const plain = posix.normalize(source).replace(/\/$/, '')
    const name = plain.replace(/^(?:\.\.\/)+/, '').split('/')[0] ?? ''
    const isOutside = plain.startsWith('../') || composed
    const isWhole = plain === '.' || plain === '..'
    const isSame = paths.some(
      (path) => path.startsWith(`environment/${name}/`) && paths.includes(path.slice('environment/'.length)),
    )
    const isOwn = paths.some((path) => path.startsWith(`environment/${name}/`) || path === `environment/${name}`)
    const isHidden = name === 'solution' || name === 'tests'
    const leaks = isHidden ? isOutside || !isOwn || isSame : isWhole && (composed || isSame)
    if (!leaks || ignored.includes(isHidden ? name : 'solution')) return []
    return [{ ...place, what: `copies ${source} into the image, where the agent can read it` }]
  })
}

const compiledLeak: Check = ({ image, paths, instruction }) => {
  if (image === undefined) return []
  const compiled = paths.filter((path) => /\.(?:pyc|class)$/.test(path))
  const stemOf = (path: string) => posix.basename(path).split('.')[0] ?? ''
  const removed = [...image.removed].filter(([path]) => /\.(?:py|java)$/.test(path))
  const isCleared = [...image.removed.keys()].some((path) => /__pycache__|\.pyc|\.class/.test(path))
  const shipped = removed.flatMap(([path, place]): Found[] => {
    const left = compiled.find((one) => stemOf(one) === stemOf(path) && !instruction.includes(posix.basename(one)))
    const made = image.commands.find(({ part: { words } }) => {
      const text = words.join(' ')
      const isCompiled = /\b(?:compileall|py_compile|javac)\b/.test(text)
      return isCompiled || new RegExp(`(?:-m |import )${stemOf(path)}\\b`).test(text)
    })
    if (left === undefined && (made === undefined || isCleared)) return []
    return [{ ...place, what: `removes ${path}, but ${left === undefined ? 'its bytecode' : left} stays` }]
  })
  const alone = [...image.made].flatMap(([path, { source, file, line }]): Found[] => {
    if (source === null || !compiled.includes(source) || instruction.includes(posix.basename(path))) return []
    const hasSource = [...image.made.keys()].some((one) => /\.(?:py|java)$/.test(one) && stemOf(one) === stemOf(path))
    return hasSource ? [] : [{ file, line, what: `copies ${source}, whose source is not in the image` }]
  })
  return [...shipped, ...alone]
}

const guardInReach: Check = (site) => {
  const { image, script } = site
  const sums = script.flatMap(({ words, line }): Found[] => {
    if (!/^(?:sha\d+|md5|b2)sum$/.test(programName(words[0] ?? ''))) return []
    const isChecking = words.some((word) => /^(?:-c|--check)$/.test(word))
    const path = words.slice(1).find((word) => word.startsWith('/'))
    if (!isChecking || path === undefined || path.startsWith('/tests/') || image?.isRoot === false) return []
    return [{ file: testScript, line, what: `checks by ${path}, which the agent can write again` }]
  })
  const rights = (image?.commands ?? []).flatMap(({ part: { words }, ...place }): Found[] => {
    if (!/^(?:chmod|chattr|chown)$/.test(programName(words[0] ?? '')) || image?.isRoot === false) return []
    const path = words.slice(1).find((word) => word.startsWith('/') && verifierName.test(posix.basename(word)))
    return path === undefined ? [] : [{ ...place, what: `protects ${path} from an agent that is root` }]
  })
  return [...sums, ...rights]
}

const runners = /^(?:pytest|py\.test|vitest|jest|mocha)$/

const plantableHook: Check = ({ script }) => {
  let place = '/app'
  return script.flatMap(({ words, line }): Found[] => {
    if (words[0] === 'cd') place = posix.resolve(place, words[1] ?? place)
    const at = words.findIndex((word) => runners.test(programName(word)))
    const isModule = at === 2 && words[1] === '-m' && /^python/.test(programName(words[0] ?? ''))
    const isPackage = /^(?:npm|pnpm|yarn|bun)$/.test(words[0] ?? '') && /^(?:t|test|run)$/.test(words[1] ?? '')
    if (!(at === 0 || isModule || isPackage)) return []
    if (words.some((word) => /^--noconftest$|^--confcutdir|^-p$|^--rootdir=\/tests|^--config/.test(word))) return []
    const given = words.slice(at + 1).filter((word) => word.startsWith('/'))
    const where = given.length === 0 ? place : (given.find((path) => !/^\/tests(?:\/|$)/.test(path)) ?? '/tests')
    if (/^\/tests(?:\/|$)/.test(where)) return []
    return [
      { file: testScript, line, what: `runs tests in ${where}, where the agent can leave a hook such as conftest.py` },
    ]
  })
}

const helperInImage: Check = ({ paths, texts }) => {
  const isCode = (path: string) =>
    /\.(?:py|sh|[cm]?[jt]s|rb|pl|go|rs|java)$/.test(path) && !/(?:^|\/)(?:__init__|conftest|setup)\.py$/.test(path)
  const own = paths.filter((path) => path.startsWith('tests/') && isCode(path))
  return paths.flatMap((path): Found[] => {
    if (!path.startsWith('environment/') || !isCode(path)) return []
    const same = own.find(
      (one) =>
        posix.basename(one) === posix.basename(path) || (texts.get(one) ?? '').trim() === texts.get(path)?.trim(),
    )
    return same === undefined ? [] : [{ file: path, line: 1, what: `shows the agent the helper ${same}` }]
  })
}

/** A note for the first check of a test that fits. */
const ofTests =
  (fits: (test: ReturnType<typeof testsOf>[number], site: Site) => string | undefined): Check =>
  (site) =>
    testsOf(site).flatMap((test): Found[] => {
      const what = fits(test, site)
      return what === undefined ? [] : [{ file: test.file, line: test.line, what: `${test.name} ${what}` }]
    })

const wallClock: Check = (site) => [
  ...ofTests(({ checks }) =>
    checks.some(({ sides }) => sides.some(({ kinds }) => kinds.has('clock'))) ? 'decides by measured time' : undefined,
  )(site),
  ...site.script.flatMap(({ words, line, isCondition, isChained }): Found[] => {
    const isTest = /^(?:\[|\[\[|test|\(\()$/.test(words[0] ?? '')
    const isTimed =
      words.some((word) => /\$\{?SECONDS|\$\(date\b/.test(word)) ||
      words.some((word) => /elapsed|duration/i.test(word) && word.startsWith('$'))
    return isTest && isTimed && (isCondition || !isChained)
      ? [{ file: testScript, line, what: 'decides by measured time' }]
      : []
  }),
]

const selfConsistent = ofTests(({ checks }, site) => {
  const isOwn = (path: string) => !isInImage(site, path) && !path.startsWith('/tests/') && path.startsWith('/')
  const compares = checks.filter(({ sides }) => sides.length === 2 && sides.every(({ paths }) => paths.size > 0))
  const isClosed = ({ sides }: TestCheck) =>
    sides.every(({ paths, kinds }) => !kinds.has('run') && !kinds.has('computed') && [...paths].every(isOwn))
  if (compares.length === 0 || !compares.every(isClosed)) return undefined
  const others = checks.filter((check) => !compares.includes(check))
  return others.some(isComputed) ? undefined : 'compares two outputs of the agent with each other'
})

const nameDecides = ofTests(({ checks }, { instruction }) => {
  const onNames = checks.filter(
    ({ sides, text }) =>
      sides.some(({ kinds }) => kinds.has('listing')) &&
      /endswith|startswith|basename|extname|\.name\b|\.suffix|\.stem|\bin\b|==/i.test(text),
  )
  const isContent = checks.some(({ sides }) =>
    sides.some(({ kinds, paths }) => kinds.has('content') || (paths.size > 0 && !kinds.has('listing'))),
  )
  const words = onNames.flatMap(({ literals }) => literals).filter((word) => /\w/.test(word))
  if (onNames.length === 0 || isContent || words.every((word) => instruction.includes(word))) return undefined
  return 'decides by the names of files alone'
})

const literalsOnly: Check = (site) => {
  const tests = testsOf(site)
  const checks = tests.flatMap((test) => test.checks)
  const isLiteral = ({ sides }: TestCheck) =>
    (sides.length === 2 &&
      sides.some(({ kinds, paths }) => paths.size === 0 && kinds.has('constant')) &&
      sides.every(({ kinds }) => [...kinds].every((kind) => kind === 'constant'))) ||
    sides.every(({ kinds }) => kinds.has('exists'))
  const isCompared = checks.some(({ sides }) => sides.length === 2 && sides.some(({ paths }) => paths.size > 0))
  const [first] = tests
  if (first === undefined || !isCompared || tests.some(({ isOpaque }) => isOpaque) || !checks.every(isLiteral))
    return []
  if (tests.some(({ runs }) => runs.length > 0)) return []
  return [
    { file: first.file, line: first.line, what: 'the tests only compare with constants: nothing is run or computed' },
  ]
}

const emptyCheck: Check = (site) => [
  ...ofTests(({ checks, isOpaque, isSkipped, isEmpty }) => {
    if (isSkipped) return 'is skipped'
    if (isEmpty) return 'has no parameters, so it never runs'
    if (checks.length === 0) return isOpaque ? undefined : 'asserts nothing'
    return checks.every(({ isInListing }) => isInListing) ? 'asserts nothing where no file is found' : undefined
  })(site),
  ...existenceOnly(site),
]

function existenceOnly(site: Site): readonly Found[] {
  const tests = testsOf(site)
  const checks = tests.flatMap((test) => test.checks)
  const [first] = tests
  const isOnly = checks.length > 0 && checks.every(({ sides }) => sides.every(({ kinds }) => kinds.has('exists')))
  if (first === undefined || !isOnly || tests.some(({ isOpaque }) => isOpaque)) return []
  return [{ file: first.file, line: first.line, what: 'the tests only ask whether files exist' }]
}

const hiddenDemand: Check = ({ demands }) =>
  demands.map(({ kind, word, path, line }) => ({
    ...{ file: path, line },
    what: `demands the ${kind} "${word}", which neither the task nor a file that agents see says`,
  }))

const noLimit: Check = ({ hasAgentTimeout }) =>
  hasAgentTimeout ? [] : [{ file: 'task.toml', line: 1, what: 'the agent has no time limit' }]

const installing =
  /^(?:(?:python[\d.]* -m )?pip\d?|uv pip|uv|conda|poetry|npm|pnpm|yarn|gem|cargo|go|apt|apt-get|apk|yum|dnf) (?:-\S+ )*(?:install|add|ci|i)\b/

const runtimeInstall: Check = ({ script, hasNetwork }) =>
  script.flatMap(({ words, line }): Found[] => {
    const text = [programName(words[0] ?? ''), ...words.slice(1)].join(' ')
    if (!installing.test(text) && !/^(?:uvx|npx) (?!--no-install)/.test(text)) return []
    const packages = words.filter((word) => !word.startsWith('-')).at(-1)
    return hasNetwork
      ? [
          {
            file: testScript,
            line,
            level: 'note',
            what: `installs ${packages} each time, which is slow and not repeatable`,
          },
        ]
      : [{ file: testScript, line, what: `installs ${packages}, while the verifier has no network` }]
  })

/** The checks, with what each finding is and what helps. */
const checks: Readonly<Record<TaskCheckName, readonly [Check, TaskFinding['level'], remedy: string]>> = {
  'writable-verifier': [writableVerifier, 'defect', 'Let test.sh run its own files below /tests.'],
  'unconditional-reward': [unconditionalReward, 'defect', 'Write the reward 1 only where the check succeeded.'],
  'no-reward-on-failure': [
    noRewardOnFailure,
    'note',
    'Write `set +e` before the check, and a reward 0 where it fails.',
  ],
  'truth-in-image': [truthInImage, 'defect', 'Put the file below tests/, which the agent does not see.'],
  'reference-reads-truth': [referenceReadsTruth, 'defect', 'Let solution/solve.sh solve the task.'],
  'solution-in-image': [solutionInImage, 'defect', 'Copy only what the agent may see.'],
  'compiled-leak': [compiledLeak, 'defect', 'Remove the bytecode together with its source.'],
  'guard-in-reach': [guardInReach, 'note', 'Keep the checksum below /tests, or give the agent another user.'],
  'plantable-hook': [
    plantableHook,
    'note',
    'Run the tests from /tests, or with --noconftest and a config of their own.',
  ],
  'helper-in-image': [helperInImage, 'note', 'Keep the helper of the verifier below tests/ only.'],
  'wall-clock': [wallClock, 'note', 'Decide by something other than measured time.'],
  'self-consistent': [selfConsistent, 'note', 'Compare with an input, or with a file below /tests.'],
  'name-decides': [nameDecides, 'note', 'Look at what the files contain.'],
  'literals-only': [
    literalsOnly,
    'note',
    'Compute the answer in the test, or run what the agent made with other inputs.',
  ],
  'empty-check': [emptyCheck, 'note', 'Ask for the number of files, or for what they contain.'],
  'hidden-demand': [hiddenDemand, 'note', 'Say it in the task, or do not demand it.'],
  'no-limit': [noLimit, 'note', 'Give [agent] a timeout_sec in task.toml.'],
  'runtime-install': [runtimeInstall, 'defect', 'Install it in the Dockerfile.'],
}
