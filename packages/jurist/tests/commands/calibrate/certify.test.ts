import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** A hundred answers: the small judge is sure of seventy and wrong about two of these, the large one of twenty more. */
const rows = Array.from({ length: 100 }, (_, index) => {
  const label = index % 3 === 0 ? 'fail' : 'pass'
  const other = label === 'pass' ? 'fail' : 'pass'
  const small = {
    said: index < 70 && index % 35 !== 0 ? label : other,
    confidence: index < 70 ? 0.97 : 0.6,
    costUsd: 0.01,
  }
  const large = { said: label, confidence: index < 90 ? 0.9 : 0.3, costUsd: 1 }
  return `${JSON.stringify({ id: `a${index}`, task: 'x', output: `answer ${index}`, label, said: { small, large } })}\n`
}).join('')

/** The same answers, of which the small judge is never as sure. */
const otherRows = rows.replaceAll('0.97', '0.7')

const config = (large: string) => `
juries:
  answers:
    certified: &tiers
      - { name: small, candidate: { type: recorded, judge: small } }
      - { name: large, candidate: { type: recorded, judge: ${large} }, confidence: declared }
    certificate: certificates/answers.json
    final: { name: rule, jury: { type: output-text, contains: answer } }
calibrations:
  answers: { items: rows.jsonl, tiers: *tiers, labels: { by: models, annotators: [gpt] } }
  one: { items: rows.jsonl, candidate: { type: recorded, judge: small } }
experiments:
  all: { dataset: rows.jsonl, jury: { use: answers } }
  later: { dataset: later.jsonl, jury: { use: answers } }
`

let made: Project
beforeAll(() => {
  made = project({ 'rows.jsonl': rows, 'later.jsonl': otherRows, 'jurist.config.yaml': config('large') })
})
afterAll(() => made[Symbol.dispose]())

const file = 'certificates/answers.json'
const certificate = () => JSON.parse(readFileSync(join(made.directory, file), 'utf8'))

describe('jurist calibrate --certify', () => {
  test('without a certificate the final tier decides everything', async () => {
    const { stdout, stderr: noticed } = await made.jurist('run', 'all', '--json')
    expect(JSON.parse(stdout).results[0].counts.passes).toBe(100)
    expect(noticed).toContain('all: there is no certificate yet, so the final tier decides everything')
    const { code, stderr } = await made.jurist('run', 'all', '--require-certificate', file)
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not exist')])
  })

  test('writes a certificate, and says what it is worth', async () => {
    const { code, stdout, stderr } = await made.jurist('calibrate', 'answers', '--certify', '--certificate', file)
    expect([code, stderr]).toEqual([0, expect.stringContaining(`wrote ${file}`)])
    expect(stdout).toContain('Certified: at most 15.0 % disagreement (90.0 % confidence) on 90.0 % of the items')
    expect(stdout).toContain('10.0 % go to the final tier; the tiers cost 0.31 of the price of always asking large')
    expect(stdout).toContain('labels are from models')
    expect(certificate()).toMatchObject({ decided: 90, errors: 2, tries: 1, labels: { by: 'models', items: 100 } })
  })

  test('a run decides by it, and requires human labels where it must', async () => {
    const refused = await made.jurist('run', 'all', '--require-certificate', file)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('are from models')])
    const { stdout } = await made.jurist('run', 'all', '--require-certificate', file, '--allow-model-labels', '--json')
    expect(JSON.parse(stdout).results[0].counts.passes).toBeLessThan(100)
  })

  test('a run says what its tiers decided, what was left to the final tier, and that nothing drifted', async () => {
    const { stdout } = await made.jurist('run', 'all')
    expect(stdout).toContain(`Certificate ${certificate().id}`)
    expect(stdout).toContain('90 of 100 trials decided by certified tiers (90.0 %; 90.0 % at calibration)')
    expect(stdout).toContain('small 70 of 100, large 20 of 30.')
    expect(stdout).toContain('10 left to the final tier.')
    expect(stdout).toContain('No drift of confidences found')
    const judges = await made.jurist('show', 'latest', '--judges')
    expect(judges.stdout).toContain('Left to the final tier')
    expect(judges.stdout).toMatch(/a90#1\s+pass, 0.600\s+fail, 0.300\s+pass/)
    expect((await made.jurist('show', 'latest', '--format', 'markdown')).stdout).toContain('No drift of confidences')
  })

  test('a run whose confidences are others than at calibration is warned about', async () => {
    const { stdout } = await made.jurist('run', 'later')
    expect(stdout).toContain('Drift: the confidences of small are not those of its calibration')
    expect(stdout).toContain('p < 0.001; 100 labelled and 100 items of this run')
  })

  test('a certificate of an earlier version is used, and cannot show drift', async () => {
    const whole = readFileSync(join(made.directory, file), 'utf8')
    const { tiers, ...rest } = certificate()
    const without = { ...rest, tiers: tiers.map(({ confidences: _, ...tier }: { confidences: object }) => tier) }
    writeFileSync(join(made.directory, file), JSON.stringify(without))
    expect((await made.jurist('run', 'later')).stdout).toContain('Drift cannot be tested')
    writeFileSync(join(made.directory, file), whole)
  })

  test('nothing is certified where the bound is too strict: exit code 1, and no file', async () => {
    const { code, stdout, stderr } = await made.jurist(
      'calibrate',
      'answers',
      '--certify',
      '--alpha',
      '0.01',
      '--certificate',
      'none.json',
    )
    expect(code).toBe(1)
    expect(stdout).toContain('Not certified: too few labelled items')
    expect(stderr).toContain('none.json was not written')
  })

  test.each([
    [
      'another source of confidence',
      'confidence: declared',
      'confidence: agreement',
      'the tier "large" takes its confidence from',
    ],
    ['another option', 'judge: small }', 'judge: large }', 'the tier "small" has another judge'],
    [
      'tiers of other names',
      '{ name: small,',
      '{ name: tiny,',
      'its tiers are small > large, and these are tiny > large',
    ],
  ])('a certificate of %s is refused in its own words', async (_, from, to, problem) => {
    writeFileSync(join(made.directory, 'other.yaml'), config('large').replace(from, to))
    const { code, stderr } = await made.jurist('run', 'all', '-c', 'other.yaml')
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  test('a certificate of other labels is not the one that the jury decides by', async () => {
    writeFileSync(join(made.directory, 'other.json'), JSON.stringify({ ...certificate(), id: 'of-other-labels' }))
    const { code, stderr } = await made.jurist('run', 'all', '--require-certificate', 'other.json')
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not decide by the certificate of-other-labels')])
  })

  test('a changed tier makes the certificate stale, and a new one can still be made', async () => {
    writeFileSync(join(made.directory, 'jurist.config.yaml'), config('small'))
    const { code, stderr } = await made.jurist('run', 'all')
    expect([code, stderr]).toEqual([2, expect.stringContaining('the tier "large" has another judge')])
    expect(stderr).not.toContain('unknown jury')
    expect((await made.jurist('calibrate', 'answers', '--certify', '--certificate', file)).code).toBe(0)
    expect(certificate().tries).toBe(3)
    expect((await made.jurist('run', 'all')).code).not.toBe(2)
  })

  test.each([
    [['calibrate', 'one', '--certify'], 'has no tiers'],
    [['calibrate', 'answers'], 'jurist calibrate answers --certify'],
    [['calibrate', 'answers', '--certify', '--alpha', '2'], '--alpha'],
    [['calibrate', 'answers', '--alpha', '0.2'], '--alpha needs --certify'],
    [['calibrate', 'answers', '--certify', '--swap'], 'With --certify, remove'],
    [['run', 'all', '--allow-model-labels'], 'needs --require-certificate'],
  ])('refuses %j', async (argv, problem) => {
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  test.each([
    ['confidence: declared', 'confidence: { type: vote }', 'unknown source of confidence "vote"'],
    ['confidence: declared', 'confidence: { type: votes, samples: 1 }', '"samples" must be an integer of at least 2'],
    ['certificate: certificates/answers.json', 'certificate: 3', 'must be a path'],
    ['name: small, candidate', 'name: small, judge', 'is not a known key'],
  ])('reports what is wrong with %s', async (from, to, problem) => {
    writeFileSync(join(made.directory, 'broken.yaml'), config('large').replace(from, to))
    const { code, stdout } = await made.jurist('validate', '-c', 'broken.yaml')
    expect([code, stdout]).toEqual([1, expect.stringContaining(problem)])
  })

  test('is valid where nothing is wrong', async () => {
    writeFileSync(join(made.directory, 'right.yaml'), config('large').replace(file, 'certificates/none.json'))
    const { code, stderr } = await made.jurist('validate', '-c', 'right.yaml')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('problem')])
  })
})
