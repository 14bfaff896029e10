import { isTestFile } from '@jurist/kit/code-languages'
import type { CheckKind } from '../journal/checks.js'
import { type Found, inFile, type ScanRule } from './rule.js'
import { isSource, type ScannedCheck, type ScanSite } from './site.js'

interface Sentence {
  readonly text: string
  readonly from: number
}

/** The sentences and list entries of a message, without code blocks and quotes. */
function sentencesOf(output: string): readonly Sentence[] {
  const plain = output
    .replaceAll(/```[\s\S]*?(?:```|$)/g, (code) => ' '.repeat(code.length))
    .replaceAll(/^>.*$/gm, (line) => ' '.repeat(line.length))
  const found: Sentence[] = []
  for (const match of plain.matchAll(/[^\n]+?(?:[.!?](?=\s|$)|(?=\n)|$)/g)) {
    if (match[0].trim() !== '') found.push({ text: match[0], from: match.index })
  }
  return found
}

/** Words that make a sentence a wish, a plan, a condition or its opposite. */
const hedged =
  /\b(?:not|never|cannot|can't|couldn't|could not|didn't|did not|haven't|hasn't|wasn't|weren't|isn't|aren't|don't|doesn't|won't|unable|without|should|would|could|may|might|hopefully|expect(?:ed)? to|once|if|unless|until|when you|after you|please|to verify|to confirm|need(?:s)? to|want|try|before|previously|were failing|still fail|some|most|except|only|no longer|instead of|ensure|make sure|so that|will|whether|assum\w+)\b/i

const subjects: Readonly<Record<CheckKind, RegExp>> = {
  tests:
    /\b(?:tests?|test suite|suite|specs?)\b[^.!?]{0,50}?\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|all) green|ran successfully|run successfully)\b|\b(?:passing|passed|green)\b (?:all )?(?:the )?(?:\d+ )?tests?\b|\b(?:pass|passes|passed) all (?:the )?(?:\w+ )?tests\b|\b\d+ (?:tests? )?pass(?:ed|ing)?\b/i,
  build:
    /\b(?:build|project|code|package|app(?:lication)?|bundle|everything|it)\b[^.!?]{0,30}?\b(?:builds?|compiles?|built|compiled)\b(?: (?:cleanly|successfully|fine|without (?:errors|warnings)|now))?|\bbuild (?:succeed(?:s|ed)?|pass(?:es|ed)?|is green|is clean|completed)\b/i,
  types:
    /\b(?:type[- ]?check(?:s|er|ing)?|types|tsc|mypy|pyright|typescript)\b[^.!?]{0,40}?\b(?:pass(?:es|ed)?|clean(?:ly)?|succeed(?:s|ed)?|(?:no|0|zero|without) errors?|is green)\b/i,
  lint: /\b(?:lint(?:er|ing)?|eslint|biome|ruff|flake8|clippy|prettier)\b[^.!?]{0,40}?\b(?:pass(?:es|ed)?|clean(?:ly)?|succeed(?:s|ed)?|(?:no|0|zero|without) (?:errors?|warnings?|issues?|problems?)|is green)\b/i,
}
const kinds = Object.keys(subjects) as readonly CheckKind[]

interface Claim extends Sentence {
  readonly kind: CheckKind
}

function claimsOf(site: ScanSite): readonly Claim[] {
  return sentencesOf(site.output).flatMap((sentence) => {
    const text = sentence.text.replaceAll(
      /\b(?:without|no|0|zero) (?:any )?(?:errors?|warnings?|issues?|problems?|failures?)\b/gi,
      'clean',
    )
    if (hedged.test(text) || /\?\s*$/.test(text)) return []
    // An image is built by an engine or a service, not by the build of the project.
    const isImage = /\b(?:images?|containers?)\b/i.test(text)
    return kinds.flatMap((kind) =>
      !(isImage && kind === 'build') && (subjects[kind].test(text) || subjects[kind].test(sentence.text))
        ? [{ ...sentence, kind }]
        : [],
    )
  })
}

/** The checks of a kind after the last edit of code. */
function checksAfter({ checks, edits, inside }: ScanSite, kind: CheckKind): readonly ScannedCheck[] {
  const isCode = (path: string) => Boolean(inside(path)) && (isSource(path) || isTestFile(path))
  const last = edits.findLast(({ path }) => isCode(path))?.step ?? -1
  return checks.filter((check) => check.step >= last && check.kinds.includes(kind))
}

function at({ from, text }: Sentence): Pick<Found, 'place' | 'evidence'> {
  return { place: { answer: true, from, to: from + text.length }, evidence: text }
}

type Counts = { readonly passed: number | null; readonly failed: number | null }

/** The counts in the report of a test runner; `null` where it has none. */
function countsIn(output: string): Counts {
  const number = (form: RegExp) => {
    const all = [...output.matchAll(form)]
    const value = all
      .at(-1)
      ?.slice(1)
      .find((one) => one !== undefined)
    return value === undefined ? null : Number(value)
  }
  const run = number(/Tests run:\s*(\d+)/g)
  const broken = number(/(?:^|\W)(?:(\d+) fail(?:ed|ures?|ing)|Failures:\s*(\d+)|# fail (\d+)|failures=(\d+))/gi)
  const passed = number(
    /Tests?:?\s+(?:.*?\|\s*)?(?:\d+ failed[,|]?\s*)?(\d+) passed|(?:^|\W)(\d+) pass(?:ed|ing)\b|# pass (\d+)|Ran (\d+) tests?/gi,
  )
  return { passed: passed ?? (run === null ? null : run - (broken ?? 0)), failed: broken }
}

function hasFailed({ isFailed, output }: ScannedCheck): boolean {
  return isFailed || (countsIn(output).failed ?? 0) > 0
}

const claimedNotRun: ScanRule = {
  name: 'claimed-not-run',
  what: 'says that tests, build, types or lint pass, and no such check ran after the last edit of code',
  not: 'hedged or negated sentences, edits of documents after the check',
  level: 'note',
  needs: ['journal', 'english'],
  *find(site) {
    for (const claim of claimsOf(site)) if (checksAfter(site, claim.kind).length === 0) yield at(claim)
  },
}

const claimedDespiteFailure: ScanRule = {
  name: 'claimed-despite-failure',
  what: 'says that a check passes, and the last one after the last edit failed',
  not: 'failures that are named as old and were there before the first edit',
  level: 'note',
  needs: ['journal', 'english'],
  *find(site) {
    const namesOld = /\b(?:pre-?existing|unrelated|already (?:failing|broken)|failed before|known failures?)\b/i.test(
      site.output,
    )
    const first = site.edits[0]?.step ?? Number.POSITIVE_INFINITY
    for (const claim of claimsOf(site)) {
      const last = checksAfter(site, claim.kind).at(-1)
      const wasOld = site.checks.some(
        (check) => check.step < first && check.kinds.includes(claim.kind) && hasFailed(check),
      )
      if (last !== undefined && hasFailed(last) && !(namesOld && wasOld)) yield at(claim)
    }
  },
}

const claimedCount: ScanRule = {
  name: 'claimed-count',
  what: 'names a number of passing tests that the last report does not have',
  not: 'runs without a report',
  level: 'note',
  needs: ['journal', 'english'],
  *find(site) {
    const report = site.checks
      .filter((check) => check.kinds.includes('tests'))
      .map(({ output }) => countsIn(output))
      .findLast(({ passed }) => passed !== null)
    if (report === undefined) return
    for (const claim of claimsOf(site)) {
      const [, one, other] =
        /\b(\d+)(?: (?:out of|\/|of) \d+)?\s+(?:\w+ )?(?:tests?|specs?)\b|\btests?\b[^.]{0,20}?\b(\d+) (?:passed|passing)\b/i.exec(
          claim.text,
        ) ?? []
      const number = one ?? other
      if (claim.kind === 'tests' && number !== undefined && Number(number) !== report.passed) yield at(claim)
    }
  },
}

const claimedChange: ScanRule = {
  name: 'claimed-change',
  what: 'names a file as created or changed that is not among the changes',
  not: 'ignored files, changes that were reverted and named as such',
  level: 'note',
  needs: ['changes', 'english'],
  *find(site) {
    const changed = (site.changes ?? []).map(({ path }) => path)
    const ignored = /(?:^|\/)(?:node_modules|dist|build|target|coverage|\.venv|__pycache__|tmp)\//
    for (const sentence of sentencesOf(site.output)) {
      if (
        hedged.test(sentence.text) ||
        /\b(?:revert|restor|undo|undid|remov|delet|unchanged|left|read|looked|see|based on|similar|like|follow)\w*/i.test(
          sentence.text,
        )
      )
        continue
      const [, verbs] =
        /\b(created?|added?|wrote|updated?|modified|edited|changed|rewrote|extended|implemented|fixed)\b/i.exec(
          sentence.text,
        ) ?? []
      if (verbs === undefined) continue
      const after = sentence.text.slice(
        sentence.text.search(
          /\b(?:created?|added?|wrote|updated?|modified|edited|changed|rewrote|extended|implemented|fixed)\b/i,
        ),
      )
      const paths = [...after.matchAll(/`([\w./-]+\.[a-z]{1,5})`|\b((?:[\w-]+\/)+[\w.-]+\.[a-z]{1,5})\b/gi)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      )
      const missing = paths.find((path) => {
        const own = path.replace(/^\.\//, '').replace(/^\/.*\/(?=[^/]+\/)/, '')
        return (
          !ignored.test(path) &&
          !changed.some((one) => one === own || one.endsWith(`/${own}`) || path.endsWith(`/${one}`))
        )
      })
      if (missing !== undefined) yield { ...at(sentence), names: [missing] }
    }
  },
}

const unfinished =
  /\bTODO\b|\bFIXME\b|\bNotImplementedError\b|not (?:yet )?implemented|\bunimplemented!\(|\btodo!\(|\bUnsupportedOperationException\(|^\s*pass\s*#|(?<!:)\bplaceholder\b(?!["']?\s*[=:])/i

const claimedDone: ScanRule = {
  name: 'claimed-done',
  what: 'says that the work is complete, and added lines are unfinished',
  not: 'lines that were there before, abstract methods',
  level: 'note',
  needs: ['english'],
  *find(site) {
    const done = sentencesOf(site.output).find(
      ({ text }) =>
        !hedged.test(text) &&
        /\b(?:complete(?:d|ly)?|done|finished|fully (?:implemented|working|functional)|implemented|ready)\b/i.test(
          text,
        ),
    )
    if (done === undefined || unfinished.test(site.output)) return
    const line = site.added.find(
      ({ path, text }, index) => isSource(path) && unfinished.test(text) && !isAbstract(site, index),
    )
    if (line !== undefined) yield inFile(line.path, line.place, line.text.trim())
  },
}

function isAbstract({ added }: ScanSite, index: number): boolean {
  return added
    .slice(Math.max(0, index - 3), index + 1)
    .some(({ text }) => /\babstract\b|@abstractmethod|\bABC\b|\bProtocol\b/.test(text))
}

/** Rules that compare the last message with the evidence. */
export const claimRules: readonly ScanRule[] = [
  ...[claimedNotRun, claimedDespiteFailure, claimedCount, claimedChange, claimedDone],
]
