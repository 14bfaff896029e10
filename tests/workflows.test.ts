import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './structure/source.js'
import type { Step } from './structure/workflow.js'

interface Job {
  readonly steps: readonly Step[]
  readonly permissions?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const directory = join(root, '.github/workflows')
const files = readdirSync(directory)
const { scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const read = (file: string): Workflow => parse(readFileSync(join(directory, file), 'utf8'))

describe.each(files)('the workflow %s', (file) => {
  const { permissions, jobs } = read(file)
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  test('may only read, except in jobs that say what they write', () => {
    expect(permissions).toEqual({ contents: 'read' })
  })

  test('uses actions at a version, and runs scripts that exist', () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/)
    const text = readFileSync(join(directory, file), 'utf8')
    for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script)
  })
})

test('the versions of Node that are tested begin with the oldest one that the packages accept', () => {
  const { strategy } = read('test.yml').jobs['test'] as unknown as { strategy: { matrix: { node: number[] } } }
  expect(engines.node).toBe(`>=${strategy.matrix.node[0]}.19.0`)
})
