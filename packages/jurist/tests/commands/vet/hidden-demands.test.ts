import { expect, test } from 'vitest'
import { project } from '../../project.js'
import { testOnce } from '../../project-results.js'

const hidden = `import assert from 'node:assert'
import test from 'node:test'
import { existsSync } from 'node:fs'
import { total } from '../src/cart.mjs'
test('totals', () => assert.equal(total([1, 2]), 3))
test('writes a report', () => assert(existsSync('report/output.csv'), 'no output.csv'))
`
const files = {
  'dataset/dataset.json':
    '{ "schemaVersion": 1, "name": "carts", "version": "1.0.0", "description": "", "items": [{ "id": "cart", "path": "cart" }] }',
  'dataset/cart/item.json': JSON.stringify({ developerTask: 'Totals are wrong. Also write a report as CSV.' }),
  'dataset/cart/before/src/cart.mjs': 'export const total = () => 0\n',
  'dataset/cart/reference/src/cart.mjs': 'export const total = (all) => all.reduce((sum, one) => sum + one, 0)\n',
  'dataset/cart/reference/report/output.csv': '3\n',
  'dataset/cart/reference/tests/hidden.test.mjs': hidden,
  'agent.sh': 'cp "$1" src/cart.mjs && mkdir -p report && echo 3 > report/out.csv\n',
}

testOnce('stored trials that failed at a hidden demand alone prove it, and show what they wrote instead', async () => {
  using at = project(files)
  const right = `${at.directory}/dataset/cart/reference/src/cart.mjs`
  at.write({
    'jurist.config.yaml': `experiments:
  carts:
    dataset: dataset
    repetitions: 3
    agent: { command: [sh, ${at.directory}/agent.sh, ${right}] }
    jury: { type: tests-pass, tool: command, command: node --test --test-reporter=tap tests/hidden.test.mjs, overlay: { paths: [tests] } }
`,
  })
  const words = ['vet', 'mutate', '--operators', 'relation', '--variants'] as const
  const demanded = /demands the path "output.csv", which neither the task nor a visible file says/
  const { stdout: suspected } = await at.jurist(...words)
  expect(suspected.replaceAll(/\s+/g, ' ')).toMatch(demanded)
  expect(suspected).not.toContain('proven')
  expect(await at.jurist('run')).toMatchObject({ stdout: expect.stringMatching(/0 of 3/) })
  const { stdout } = await at.jurist(...words, '-o', 'variants.json')
  const said = stdout.replaceAll(/\s+/g, ' ')
  expect(said).toMatch(demanded)
  expect(said).toMatch(/says; proven: 3 trials failed at nothing else; \S+ cart#1 wrote "out.csv"/)
})

test('hidden demands of a Harbor task are notes of validate', async () => {
  using at = project({
    'jurist.config.yaml':
      'experiments: { sums: { dataset: dataset, jury: { type: file-exists, path: a }, itemJury: replace } }\n',
    'dataset/dataset.json':
      '{ "schemaVersion": 1, "name": "sums", "version": "1.0.0", "description": "", "items": [{ "id": "sum", "path": "sum" }] }',
    'dataset/sum/task.md': 'Write the sum of the numbers.',
    'dataset/sum/item.json': JSON.stringify({ judges: { verifier: { type: 'harbor-verifier', task: 'harbor' } } }),
    'dataset/sum/before/numbers.txt': '1\n2\n',
    'dataset/sum/harbor/instruction.md': 'Write the sum of the numbers.',
    'dataset/sum/harbor/environment/Dockerfile': 'FROM debian\nWORKDIR /app\n',
    'dataset/sum/harbor/tests/test.sh': 'grep -q 3 /app/answer_v7.txt && echo 1 > /logs/verifier/reward.txt\n',
  })
  const { stdout } = await at.jurist('validate')
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/note hidden-demand: demands the path "answer_v7.txt"/)
})
