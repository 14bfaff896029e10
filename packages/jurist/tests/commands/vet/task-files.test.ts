import { expect, test } from 'vitest'
import { project } from '../../project.js'

/** One item that a Harbor task judges: its verifier believes a program of the image. */
const files = {
  'jurist.config.yaml': `experiments:
  sums:
    dataset: dataset
    sandbox: none
    agent: { command: ["true"] }
    jury: { type: file-exists, path: total.txt }
`,
  'dataset/dataset.json':
    '{"schemaVersion": 1, "name": "sums", "version": "1.0.0", "items": [{"id": "sum", "path": "sum"}]}',
  'dataset/sum/item.json': JSON.stringify({
    task: 'Write the sum to /app/total.txt.',
    timeoutMs: 60_000,
    metadata: { workspace: 'none' },
    judges: { verifier: { type: 'harbor-verifier', task: 'harbor' } },
  }),
  'dataset/sum/reference/total.txt': '3\n',
  'dataset/sum/harbor/task.toml': 'schema_version = "1.1"\n',
  'dataset/sum/harbor/instruction.md': 'Write the sum to /app/total.txt.',
  'dataset/sum/harbor/environment/Dockerfile': 'FROM python:3.12\nCOPY verify.py /app/verify.py\n',
  'dataset/sum/harbor/environment/verify.py': 'print("SUCCESS")\n',
  'dataset/sum/harbor/tests/test.sh': `#!/bin/bash
set -uo pipefail
python3 /app/verify.py > /tmp/said.txt
if grep -q SUCCESS /tmp/said.txt; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`,
  'dataset/sum/harbor/tests/more.rb': 'test()\n',
}

test('validate reads the files of a Harbor task: defects, notes and what is not checked, as warnings', async () => {
  using made = project(files)
  const { code, stdout } = await made.jurist('validate', '--json')
  expect([code, JSON.parse(stdout).problems]).toEqual([
    0,
    [
      {
        file: 'sums: sum/harbor/tests/test.sh',
        place: 'line 3',
        problem: 'defect writable-verifier: runs /app/verify.py, which the agent can change.',
        remedy: 'Let test.sh run its own files below /tests.',
        severity: 'warning',
      },
      {
        file: 'sums: sum/harbor/tests/more.rb',
        place: '',
        problem: 'is not checked: its language is not read.',
        remedy: 'Read it yourself: nothing is said of it.',
        severity: 'warning',
      },
    ],
  ])
  expect((await made.jurist('validate', '--strict')).code).toBe(1)
})

test('a defect of the files makes the card say that the benchmark is not sound', async () => {
  using made = project(files)
  const { code, stdout } = await made.jurist('vet', '--quick', '--json')
  const { settings, conclusion } = JSON.parse(stdout)
  expect([code, conclusion]).toEqual([1, 'problems'])
  expect(settings).toMatchObject({
    defects: { count: 1, of: 1 },
    findings: [{ itemId: 'sum', check: 'writable-verifier', level: 'defect', file: 'tests/test.sh', line: 3 }],
    notChecked: [{ itemId: 'sum', file: 'tests/more.rb' }],
  })
  const { stdout: text } = await made.jurist('vet', '--quick')
  expect(text).toMatch(/settings +1 of 1 +the files of the task have a defect/)
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'sum: tests/test.sh:3 runs /app/verify.py, which the agent can change (writable-verifier) Remedy: Let test.sh run its own files below /tests.',
  )
})

test('probes also trick the tools of the verifier where the workspace has no code', async () => {
  using made = project({ ...files, 'dataset/sum/harbor/tests/test_outputs.py': 'def test_it(): assert True\n' })
  const { stdout } = await made.jurist('vet', 'probe', '--probe', 'runner-hook', '--json')
  expect(JSON.parse(stdout).probes).toMatchObject([
    { name: 'idle' },
    { name: 'runner-hook', applicable: 1, passed: [] },
  ])
  using other = project(files)
  const { stdout: without } = await other.jurist('vet', 'probe', '--probe', 'shadowed-program', '--json')
  expect(JSON.parse(without).probes).toMatchObject([{ name: 'idle' }, { name: 'shadowed-program', applicable: 0 }])
})
