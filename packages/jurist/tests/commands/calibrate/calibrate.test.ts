import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { testOnce } from '../../project-results.js'

const config = `
import { defineConfig } from 'jurist'

const says = (word) => ({ agentOutput }) => agentOutput.text.includes(word)
export default defineConfig({
  calibrations: {
    careful: { candidate: says('good'), items: 'labels.jsonl' },
    lenient: { candidate: () => true, items: 'labels.jsonl', resamples: 200 },
    fresh: { candidate: says('good'), items: 'fresh.jsonl' },
  },
})`
/** Forty answers, every eighth of which is labelled against what it says. */
const labels = Array.from({ length: 40 }, (_, index) => {
  const isGood = index % 2 === 0
  const label = (index % 8 === 0 ? !isGood : isGood) ? 'pass' : 'fail'
  return `{"id":"l${index}","task":"x","output":"${isGood ? 'good' : 'bad'} answer","label":"${label}"}\n`
}).join('')

/** Twenty other answers, of which every fourth is bad. */
const fresh = Array.from(
  { length: 20 },
  (_, index) => `{"id":"f${index}","task":"x","output":"${index % 4 === 0 ? 'bad' : 'good'} answer","label":"pass"}\n`,
).join('')

let made: Project
beforeAll(() => {
  made = project({ 'labels.jsonl': labels, 'fresh.jsonl': fresh, 'jurist.config.mjs': config })
})
afterAll(() => made[Symbol.dispose]())

describe('jurist calibrate', () => {
  test('measures a judge against labels, and reports it again from the store', async () => {
    const { code, stdout } = await made.jurist('calibrate', 'careful')
    expect(code).toBe(0)
    expect(stdout).toMatch(/35 of 40 scored trials: 87\.5 %/)
    expect(stdout).toMatch(/kappa\s+0\.7/i)
    const again = await made.jurist('calibrate', '--from', 'careful', '--format', 'markdown', '-o', 'report.md')
    expect(again.stdout).toContain('| Measure | Value | Interval |')
    expect(readFileSync(join(made.directory, 'report.md'), 'utf8').trim()).toBe(again.stdout.trim())
    expect((await made.jurist('calibrate', '--from', 'latest', '--format', 'markdown')).stdout).toBe(again.stdout)
    const listed = await made.jurist('list', '--kind', 'judge', '--json')
    expect(JSON.parse(listed.stdout)).toHaveLength(1)
  })

  test('two judges on the same items: exact McNemar', async () => {
    const { stdout } = await made.jurist('calibrate', 'lenient', '--against', 'careful', '--json')
    const { against, report } = JSON.parse(stdout)
    expect(report.agreement.value).toBeCloseTo(15 / 40)
    expect(against).toMatchObject({ pairs: 40, onlyThis: 0, onlyOther: 20 })
    expect(against.pValue).toBeCloseTo(2 * 0.5 ** 20, 12)
    const shown = await made.jurist('calibrate', '--from', 'lenient', '--against', 'careful', '-o', 'duel.md')
    expect(shown.stdout).toMatch(
      /Against \S+ {3}40 items in common {3}right more often: this judge 0, that one 20 {3}p < 0\.001/,
    )
    expect(readFileSync(join(made.directory, 'duel.md'), 'utf8')).toContain(
      'right more often: this judge 0, that one 20',
    )
  })

  test("the pass rate of another run is corrected, and never that of the labels' own trials", async () => {
    await made.jurist('calibrate', 'careful')
    await made.jurist('calibrate', 'fresh')
    const { stdout } = await made.jurist('calibrate', '--from', 'careful', '--correct', 'fresh')
    expect(stdout).toMatch(
      /the candidate passed 75\.0 % of 20 trials: that stands for \d+\.\d % \(95 %: \d+\.\d to \d+\.\d %\)/,
    )
    const same = await made.jurist('calibrate', '--from', 'careful', '--correct', 'careful')
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('Give a run on other trials')])
  })

  testOnce('too little agreement is code 1', async () => {
    const low = await made.jurist('calibrate', 'lenient', '--threshold-agreement', '0.8', '--threshold-kappa', '0.6')
    expect([low.code, low.stderr]).toEqual([1, expect.stringMatching(/agreement 37\.5 %, 80\.0 % wanted[\s\S]*kappa/)])
    expect((await made.jurist('calibrate', 'careful', '--threshold-kappa', '0.7')).code).toBe(0)
  })

  testOnce.each([
    [['calibrate'], /has several calibrations. Name one: careful, lenient/],
    [['calibrate', 'carefull'], /Did you mean "careful"/],
    [['calibrate', 'careful', '--swap'], /no function "swap"/],
    [['calibrate', '--from', 'careful', '--repeat', '2'], /--from judges nothing/],
    [['calibrate', 'careful', '--from', 'latest'], /--from reports on a stored calibration. Remove "careful"/],
    [['calibrate', 'careful', '--repeat', '0'], /--repeat must be an integer of at least 1/],
    [['calibrate', 'careful', '-o', 'x.pdf'], /must end in \.md, \.json, \.txt/],
    [['calibrate', '--from', 'nothing'], /No run "nothing"/],
  ])('%j is refused', async (argv, says) => {
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})

testOnce('a list of items needs an id, a task and what the scorer reads', async () => {
  const config = `
const items = [{ id: 'x', task: 't', metadata: { label: 'pass' } }, { id: 'y', task: 't', metadata: { label: 'fail' } }]
export default { calibrations: { a: { candidate: () => true, items }, b: { candidate: () => true, items: [{ id: 'x' }] } } }`
  using made = project({ 'jurist.config.mjs': config })
  const { code, stdout, stderr } = await made.jurist('calibrate', 'a')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/1 of 2 scored trials/)
  expect((await made.jurist('calibrate', '--from', 'latest')).stdout).toBe(stdout)
  const refused = await made.jurist('calibrate', 'b')
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('items[0] is not an item')])
  expect(JSON.parse((await made.jurist('list', '--json')).stdout)).toHaveLength(1)
})

testOnce('a config says what is wrong with its calibrations', async () => {
  using wrong = project({ 'jurist.config.mjs': 'export default { calibrations: { a: 5 }, thresholds: { kappa: 2 } }' })
  const { code, stderr } = await wrong.jurist('calibrate')
  expect(code).toBe(2)
  expect(stderr).toContain('calibrations.a')
  expect(stderr).toContain('thresholds.kappa')
})

testOnce('annotators are enough: no label is needed', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => {
    const said = index % 2 === 0 ? 'pass' : 'fail'
    const annotators = { ann: said, ben: said, cat: index % 5 === 0 ? 'pass' : said }
    return JSON.stringify({ id: `r${index}`, task: 'x', output: said, metadata: { annotators } })
  })
  const config = `export default { calibrations: { crowd: {
    candidate: ({ agentOutput }) => agentOutput.text === 'pass', items: 'rated.jsonl', altTest: { epsilon: 0.1 },
  } } }`
  using made = project({ 'rated.jsonl': rows.join('\n'), 'jurist.config.mjs': config })
  expect((await made.jurist('validate')).code).toBe(0)
  const { code, stdout, stderr } = await made.jurist('calibrate')
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('label')])
  expect(stdout).toContain('The candidate may replace annotators at epsilon 0.1: winning rate 100.0 %')
  expect(stdout).toMatch(/Always saying (pass|fail) gets: winning rate 0\.0 %/)
})

describe('several judges', () => {
  const rows = Array.from({ length: 40 }, (_, index) => {
    const [right, wrong] = index % 2 === 0 ? ['1', '2'] : ['2', '1']
    const said = {
      gpt4: { said: index < 4 ? wrong : right, costUsd: 0.02 },
      palm2: index < 20 ? wrong : right,
      'Falcon 7B': '1',
    }
    const saidSwapped = { 'Falcon 7B': '2' }
    return JSON.stringify({ id: `r${index}`, task: 'x', label: right === '1' ? 'pass' : 'fail', said, saidSwapped })
  })
  const yaml = `calibrations:
  pairs:
    items: pairs.jsonl
    recorded: { pass: ['1'], fail: ['2'] }
  some:
    items: pairs.jsonl
    judges:
      gpt4: { type: recorded, judge: gpt4, pass: ['1'], fail: ['2'] }
      both:
        vote: majority
        judges:
          g: { type: recorded, judge: gpt4, pass: ['1'], fail: ['2'] }
          p: { type: recorded, judge: palm2, pass: ['1'], fail: ['2'] }
`
  const files = { 'pairs.jsonl': rows.join('\n'), 'jurist.config.yaml': yaml }

  testOnce('of a YAML config are in one table', async () => {
    using made = project(files)
    expect((await made.jurist('validate')).code).toBe(0)
    const { code, stdout } = await made.jurist('calibrate', 'pairs')
    expect(code).toBe(0)
    expect(stdout).toMatch(/gpt4 +36 of 40 +90\.0 % +\d+\.\d to \d+\.\d +0\.800 +– +\$0\.80 +\$0\.02 /)
    expect(stdout).toMatch(/Falcon 7B +20 of 40 +50\.0 % .* 100\.0 % of 40/)
    expect(stdout).toMatch(/gpt4 – palm2 +40 +16 +0 +\+40\.0 points +< 0\.001 +< 0\.001 +gpt4/)
    expect(stdout).toContain("Holm's correction over 3 pairs")
    expect(stdout).toMatch(/Falcon 7B: The places decide: 40 of 40 pairs/)
    const again = await made.jurist('calibrate', '--from', 'pairs.gpt4,pairs.palm2', '--format', 'markdown')
    expect(again.stdout).toMatch(/\| gpt4 – palm2 \| 40 \| 16 \| 0 \|/)
    const short = await made.jurist('calibrate', 'pairs', '--threshold-agreement', '0.8')
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('palm2: agreement 50.0 %, 80.0 % wanted')])
    expect(short.stderr).not.toContain('gpt4: agreement')
    const against = await made.jurist('calibrate', 'pairs', '--against', 'latest')
    expect([against.code, against.stderr]).toEqual([2, expect.stringContaining('remove --against')])
  })

  testOnce('may be named, and be juries; JSON has the table and every report', async () => {
    using made = project(files)
    const { stdout } = await made.jurist('calibrate', 'some', '--json')
    const { table, comparisons, judges } = JSON.parse(stdout)
    expect(table.map(({ judge }: { judge: string }) => judge)).toEqual(['gpt4', 'both'])
    expect(comparisons).toMatchObject([{ judges: ['gpt4', 'both'], pairs: 40, isDifferent: true }])
    expect(judges.both.report.jury.members.g.scored).toBe(40)
  })

  testOnce('may be written in code, beside living ones', async () => {
    const config = `import { defineConfig, recorded } from 'jurist'
export default defineConfig({ calibrations: { mixed: { items: 'pairs.jsonl', judges: {
  gpt4: recorded('gpt4', { pass: ['1'], fail: ['2'] }),
  own: recorded(({ metadata }) => metadata.said.palm2 === '1'),
  never: () => false,
} } } })`
    using made = project({ 'pairs.jsonl': rows.join('\n'), 'jurist.config.mjs': config })
    const { code, stdout } = await made.jurist('calibrate')
    expect(code).toBe(0)
    expect(stdout).toMatch(/gpt4 +36 of 40/)
    expect(stdout).toMatch(/never +20 of 40/)
  })

  testOnce.each([
    ['judges: [gpt5]', /no item keeps an answer of gpt5. Answers are kept of gpt4, palm2, Falcon 7B/],
    ['judge: gpt4', /judge/],
    ['scorer: {type: exact-match}', /Available: exact-verdict-match, exact-category-match, numerical-tolerance/],
    ['scorer: {type: numerical-tolerance}', /tolerance/],
  ])('%s is refused', async (line, says) => {
    const config = `calibrations:\n  pairs:\n    items: pairs.jsonl\n    ${line}\n`
    using made = project({ 'pairs.jsonl': rows.join('\n'), 'jurist.config.yaml': config })
    const { code, stderr } = await made.jurist('calibrate')
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })

  testOnce('categories need no more than the scorer', async () => {
    const config = 'calibrations:\n  colours:\n    items: c.jsonl\n    scorer: exact-category-match\n'
    const items = ['red', 'blue', 'red'].map((label, id) =>
      JSON.stringify({ id: `c${id}`, task: 'x', label, said: { eye: 'red', nose: label } }),
    )
    using made = project({ 'c.jsonl': items.join('\n'), 'jurist.config.yaml': config })
    const { stdout } = await made.jurist('calibrate')
    expect(stdout).toMatch(/nose +3 of 3[\s\S]*eye +2 of 3/)
  })
})
