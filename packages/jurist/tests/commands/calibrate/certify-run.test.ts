import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

/** Sixty answers. The small judge is sure of the forty first and wrong about one; the large one is always right. */
const labelOf = (index: number) => (index % 3 === 0 ? 'fail' : 'pass')
const rows = Array.from({ length: 60 }, (_, index) => {
  const other = labelOf(index) === 'pass' ? 'fail' : 'pass'
  const small = { said: index === 7 ? other : labelOf(index), confidence: index < 40 ? 0.95 : 0.6, costUsd: 0.01 }
  const large = { said: labelOf(index), confidence: 0.9, costUsd: 1 }
  return `${JSON.stringify({ id: `q${index}`, task: 'Answer.', output: `answer ${index}`, said: { small, large } })}\n`
}).join('')

const config = `
calibrations:
  answers:
    tiers:
      - { name: small, candidate: { type: recorded, judge: small } }
      - { name: large, candidate: { type: recorded, judge: large } }
experiments:
  all: { dataset: rows.jsonl, repetitions: 2, jury: { type: output-text, contains: answer } }
`

const csv = (rest: (index: number) => string, header = 'itemId,repetition,label') =>
  [header, ...Array.from({ length: 60 }, (_, index) => `q${index},1,${rest(index)}`)].join('\n')

let made: Project
let runId = ''
beforeAll(async () => {
  made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config })
  await made.jurist('run', 'all')
  runId = (await made.results.runs('all'))[0] ?? ''
})
afterAll(() => made[Symbol.dispose]())

const certificate = () => JSON.parse(readFileSync(join(made.directory, 'c.json'), 'utf8'))
const calibrated = async (...argv: readonly string[]) => {
  const ran = await made.jurist('calibrate', 'answers', '--certify', '--run', 'all', '--json', ...argv)
  return { ...ran, document: ran.stdout === '' ? null : JSON.parse(ran.stdout) }
}

describe('jurist calibrate --certify --run', () => {
  test('certifies on labelled trials of a run, whose items a calibration need not have', async () => {
    writeFileSync(join(made.directory, 'plain.csv'), csv(labelOf))
    const { code, document } = await calibrated('--labels', 'plain.csv', '--certificate', 'c.json')
    expect(code).toBe(0)
    expect(document).toMatchObject({ labelledRun: runId, counts: { items: 60, leftOut: 0, clustered: 0 }, notes: [] })
    expect(document.disagreements).toMatchObject([{ trial: { run: runId, itemId: 'q7', repetition: 1 } }])
    expect(certificate()).toMatchObject({
      decided: 60,
      errors: 1,
      tries: 1,
      labels: { items: 60, by: 'unknown', annotators: [] },
    })
  })

  test('says who labelled, and leaves out what people disagree on', async () => {
    const two = [
      csv((index) => `${labelOf(index)},ana`, 'itemId,repetition,label,annotator'),
      ...[1, 2, 3].map((index) => `q${index},1,${labelOf(index) === 'pass' ? 'fail' : 'pass'},ben`),
      'q4,1,skip,ben',
      'q99,1,pass,ben',
    ].join('\n')
    writeFileSync(join(made.directory, 'two.csv'), two)
    const { document } = await calibrated('--labels', 'two.csv', '--certificate', 'c.json')
    expect(document.counts).toMatchObject({ items: 57, leftOut: 3 })
    expect(document.notes).toEqual([
      `1 label of trials that run ${runId} does not have (q99#1): left out.`,
      '3 items on which people disagree, left out.',
    ])
    expect(certificate().labels).toMatchObject({ items: 57, by: 'people', annotators: ['ana', 'ben'] })
  })

  test('marks labels that models made, and takes one trial of each item', async () => {
    const models = [
      csv((index) => `${labelOf(index)},gpt,models`, 'itemId,repetition,label,annotator,by'),
      ...Array.from({ length: 5 }, (_, index) => `q${index},2,${labelOf(index)},gpt,models`),
    ].join('\n')
    writeFileSync(join(made.directory, 'models.csv'), models)
    const { document } = await calibrated('--labels', 'models.csv', '--certificate', 'c.json')
    expect(document.counts).toMatchObject({ items: 60, clustered: 5 })
    expect(certificate().labels).toMatchObject({ by: 'models', annotators: ['gpt'] })
  })

  test.skipIf(onPostgres)(
    'the labels beside the run are the default, and those of a chosen sample do not count',
    async () => {
      await made.juristReading('ppp', {}, 'label', 'all', '--by', 'ana', '--stratify', 'confidence', '--sample', '3')
      const refused = await made.jurist('calibrate', 'answers', '--certify', '--run', 'all')
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/all of a stratified or chosen sample.*jurist label \S+ --sample 100/s),
      ])
      // A uniform sample asks for them again: without them, it would not be uniform.
      await made.juristReading('p'.repeat(120), {}, 'label', 'all', '--by', 'ana')
      const { document } = await calibrated()
      expect(document.counts).toMatchObject({ items: 60, clustered: 60 })
      expect(document.notes[0]).toBe(
        '3 labels of a stratified or chosen sample left out: no certificate rests on them.',
      )
    },
  )

  test('pays for a second look at the same labels, not for another run with the same answers', async () => {
    const { document } = await calibrated('--labels', 'plain.csv')
    expect(document.notes.join()).toContain('used 2 times')
    await made.jurist('run', 'all')
    const other = await calibrated('--labels', 'plain.csv', '--certificate', 'c.json')
    expect(certificate().tries).toBe(1)
    expect(other.document.labelledRun).not.toBe(runId)
  })

  test.each([
    [['--labels', 'plain.csv'], '--labels needs --run'],
    [['--run', 'all', '--labels', 'none.csv'], 'does not exist'],
    [['--run', 'nothing'], 'nothing'],
    [[], 'has no items'],
  ])('refuses %j', async (argv, problem) => {
    const { code, stderr } = await made.jurist('calibrate', 'answers', '--certify', ...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  test('a config without items is valid', async () => {
    const { code, stderr } = await made.jurist('validate')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('items')])
  })
})
