import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as core from '@jurist/core'
import { abstain, judgmentContext, jury, runJudge } from '@jurist/core'
import * as answers from '@jurist/core/answers'
import * as conversations from '@jurist/core/conversation'
import * as llm from '@jurist/core/llm'
import * as rag from '@jurist/core/rag'
import { aContext } from '@jurist/core/testing'
import * as tools from '@jurist/core/tools'
import { localWorkspace } from '@jurist/workspace'
import * as commands from '@jurist/workspace/commands'
import * as coverage from '@jurist/workspace/coverage'
import * as files from '@jurist/workspace/files'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgesByType } from '../../src/config/catalog.js'
import { combinators, describedJudge, describedJury } from '../../src/config/described-jury.js'
import { collectIssues } from '../../src/config/problems.js'
import { project } from '../project.js'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-described-'))
  for (const name of ['work', 'reference']) mkdirSync(join(directory, name))
  for (const name of ['work', 'reference']) writeFileSync(join(directory, name, 'a.json'), '{"a": 1}')
  writeFileSync(join(directory, 'work', 'more.txt'), 'more')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function read(description: unknown) {
  const { issues, report } = collectIssues()
  return { judge: await describedJudge(description, [], { directory, report, juries: {} }), issues }
}

async function judged(description: unknown): Promise<string> {
  const { judge, issues } = await read(description)
  expect(issues).toEqual([])
  const context = judgmentContext({ workspace: localWorkspace(join(directory, 'work')), agentOutput: 'done' })
  return judge === undefined ? 'none' : (await runJudge(judge, context)).status
}

describe('judges of a YAML config', () => {
  test('are all factories of judges, by their names in kebab case', async () => {
    // Takes functions, which no document can write.
    const onlyInPrograms = ['assertions', 'agentJudge']
    const exported = { ...core, ...llm, ...rag, ...tools, ...conversations }
    const modules = ['judges', 'llm/judges', 'rag', 'tools', 'conversation'].map(async (directory) => {
      const judges = new URL(`../../../core/src/${directory}/`, import.meta.url)
      return Promise.all(readdirSync(judges).map((file) => import(new URL(file, judges).href) as object))
    })
    const names = (await Promise.all(modules)).flat().flatMap((module) => Object.keys(module))
    const ofCore = [...new Set(names)].filter((name) => name in exported)
    expect(ofCore).toContain('fileExists')
    const noJudges = [
      'verifyLines',
      'conversation',
      'modelAudit',
      'modelUser',
      'replayUser',
      'scriptedUser',
      'ragFacts',
      'ragKeys',
      'javaClassVersion',
      'readTestReport',
      'findCoverage',
      'readCoverage',
      'compareFiles',
      'languageOf',
    ]
    const named = [
      ...ofCore,
      'recorded',
      'humanQueue',
      ...Object.keys({ ...answers, ...commands, ...coverage, ...files }),
    ]
    const factories = named.filter((name) => ![...noJudges, ...onlyInPrograms].includes(name))
    const kebab = factories.map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
    expect([...(await judgesByType()).keys()].sort()).toEqual(kebab.sort())
    const combined = Object.keys(combinators).map((type) => type.replace(/-(.)/g, (_, letter) => letter.toUpperCase()))
    expect(combined.filter((name) => !(name in core))).toEqual([])
  })

  test.each<[string, object]>([
    ['pass', { type: 'file-exists', path: 'a.json' }],
    ['fail', { type: 'file-content', path: 'a.json', contains: 'b' }],
    ['pass', { type: 'output-text', equals: 'done' }],
    ['pass', { type: 'superset-of', reference: 'reference' }],
    ['pass', { type: 'command-succeeds', command: ['test', '-f', 'a.json'] }],
    ['pass', { type: 'build-succeeds', command: ['test', '-f', 'a.json'], timeoutMs: 60_000 }],
    ['abstain', { type: 'build-succeeds', tool: 'detect' }],
    ['pass', { type: 'tests-pass', tool: 'command', command: 'test -f a.json' }],
    // What is to be laid over the work is missing in the reference.
    ['error', { type: 'tests-pass', command: 'test -f more.txt', overlay: { from: 'reference', paths: ['more.txt'] } }],
    ['abstain', { type: 'class-version', atMost: 61 }],
    ['pass', { type: 'matches-reference', reference: 'reference' }],
    ['fail', { type: 'matches-reference', reference: 'reference', extra: 'forbid' }],
    ['abstain', { type: 'json-file', path: 'a.json' }],
    ['abstain', { type: 'maven-pom' }],
    ['fail', { type: 'coverage-at-least', percent: 80 }],
    ['abstain', { type: 'coverage-preserved' }],
    ['fail', { type: 'coverage-improved', baseline: 50, ceiling: 20 }],
    ['pass', { type: 'not', judge: { type: 'file-exists', path: 'TODO.md' } }],
    [
      'fail',
      {
        type: 'all-of',
        judges: [
          { type: 'file-exists', path: 'a.json' },
          { type: 'file-exists', path: 'b' },
        ],
      },
    ],
    [
      'pass',
      {
        type: 'any-of',
        judges: [
          { type: 'file-exists', path: 'b' },
          { type: 'file-exists', path: 'a.json' },
        ],
      },
    ],
    ['abstain', { type: 'json-file', path: 'a.json' }],
    ['fail', { type: 'json-file', path: 'a.json', mustDecide: 'fail' }],
    ['error', { type: 'json-file', path: 'a.json', mustDecide: 'error' }],
    ['fail', { type: 'all-of', judges: [{ type: 'json-file', path: 'a.json', mustDecide: 'fail' }] }],
  ])('judge: %s for %j', async (status, description) => {
    expect(await judged(description)).toBe(status)
  })

  test('a jury may be one judge that is made of judges', async () => {
    const { issues, report } = collectIssues()
    const member = { type: 'file-exists', path: 'a.json' }
    const jury = await describedJury({ type: 'any-of', judges: [member] }, [], { directory, report, juries: {} })
    expect(jury).toBeTypeOf('function')
    expect(issues).toEqual([])
  })

  test.each<[string, object]>([
    ['abstain', { judges: { a: { type: 'json-file', path: 'a.json' } } }],
    ['fail', { judges: { a: { type: 'json-file', path: 'a.json', mustDecide: 'fail' } } }],
    ['error', { judges: { a: { judge: { type: 'json-file', path: 'a.json' }, weight: 2, mustDecide: 'error' } } }],
    ['fail', { judges: { a: { type: 'json-file', path: 'a.json' } }, mustDecide: 'fail' }],
    ['error', { use: 'silent', mustDecide: 'error' }],
    ['fail', { judges: { a: { type: 'not', judge: { type: 'file-exists', path: 'a.json' } } } }],
  ])('jury: %s for %j', async (status, description) => {
    const { issues, report } = collectIssues()
    const silent = jury({ judges: { a: () => abstain('nothing') } })
    const found = await describedJury(description, [], { directory, report, juries: { silent } })
    expect(issues).toEqual([])
    const workspace = localWorkspace(join(directory, 'work'))
    expect((await runJudge(found as core.Judge, { workspace })).status).toBe(status)
  })

  test('members of a jury are named', async () => {
    const { issues, report } = collectIssues()
    const judges = [{ type: 'json-file', path: 'a.json' }]
    expect(await describedJury({ judges }, [], { directory: '.', report, juries: {} })).toBeUndefined()
    expect(issues).toMatchObject([{ path: 'judges', problem: 'must be an object of judges by name (got an array).' }])
  })

  test.each<[object, RegExp]>([
    [{ type: 'jsn-file' }, /unknown judge "jsn-file".*Did you mean "json-file"/],
    [{ type: 'json-file' }, /"path" must be/],
    [{ typ: 'json-file', path: 'a.json' }, /has no "type"\. Write "type" instead of "typ"\./],
    [{ path: 'a.json' }, /has no "type"\. Write \{type: file-exists/],
    [{ type: 'java-file', path: 'A.java', ignoreOrder: true }, /ignoreOrder/],
    [{ type: 'build-succeeds' }, /one of maven, gradle, npm, .*detect/],
    [{ type: 'build-succeeds', tool: 'mavn' }, /"tool" must be one of maven.*got "mavn"/],
    [{ type: 'build-succeeds', tool: 'maven' }, /say what to run/],
    [{ type: 'build-succeeds', tool: 'npm', arguments: 'build' }, /"arguments" must be an array of strings/],
    [{ type: 'build-succeeds', tool: 'detect', arguments: ['build'] }, /"arguments"/],
    [{ type: 'tests-pass', tool: 'npm', minTests: -1 }, /minTests/],
    [{ type: 'superset-of', reference: 'nowhere' }, /nowhere/],
    [{ type: 'coverage-at-least' }, /percent/],
    [{ type: 'not', judge: { type: 'file-exist' } }, /file-exists/],
    [{ type: 'any-of', judges: { a: 1 } }, /must be an array of judges/],
    [{ type: 'all-of', judges: [], vote: 'average' }, /vote is not a known key/],
    [{ type: 'json-file', path: 'a.json', mustDecide: 'pass' }, /mustDecide.*one of "fail", "error"/],
  ])('%j is refused with what to do', async (description, message) => {
    const { judge, issues } = await read(description)
    expect(issues.map(({ path, problem, remedy }) => `${path} ${problem} ${remedy}`).join('\n')).toMatch(message)
    if (!('vote' in description)) expect(judge).toBeUndefined()
  })

  test('work in a config of the command', async () => {
    using made = project({
      'jurist.config.yaml': `experiments:
  demo:
    dataset: [{ id: a, task: x, before: before }]
    agent: { command: ["true"] }
    # Without a reference it has nothing to compare with.
    allowAbstain: [same]
    jury:
      judges:
        build: { type: build-succeeds, tool: npm, arguments: [build] }
        tests: { type: tests-pass, command: node --test }
        same: { type: package-json }
      vote: consensus
`,
      'before/package.json': '{"scripts": {"build": "node -e 0"}}',
      'before/a.test.js': "require('node:test')('a', () => {})",
    })
    const { code, stdout, stderr } = await made.jurist('run', '--json')
    expect(stderr).not.toContain('cannot be used')
    expect(code).toBe(0)
    const { individual } = JSON.parse(stdout).results[0].items[0].verdict
    expect(Object.values(individual).map((one) => (one as { status: string }).status)).toEqual([
      'pass',
      'pass',
      'abstain',
    ])
  })
})

const alike = { type: 'similar-to', by: 'embedding', threshold: 0.9 }

test('vectors come from the server that a config describes', async () => {
  const server = createServer((request, response) => {
    request.resume()
    const data = [0, 1].map((index) => ({ index, embedding: [1, 1] }))
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 1_000 } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const prices = { inputUsdPerMillion: 20, outputUsdPerMillion: 0, asOf: '2026-11-01' }
    const embed = { provider: 'openai-compatible', model: 'tiny', baseUrl, prices }
    const { judge, issues } = await read({ ...alike, embed })
    expect(issues).toEqual([])
    const context = aContext({ agentOutput: 'Hi', expectedOutput: 'Hello' })
    expect(judge && (await runJudge(judge, context))).toMatchObject({
      status: 'pass',
      costUsd: expect.closeTo(0.02, 9),
    })
  } finally {
    server.close()
  }
})

const local = { provider: 'openai-compatible', model: 'tiny', baseUrl: 'http://127.0.0.1:1/v1' }

test.each<readonly [object, RegExp]>([
  [alike, /"embedding" needs "embed"/],
  [{ ...alike, embed: 'tiny' }, /"embed" must describe a model \(got "tiny"\)/],
  [{ ...alike, embed: { provider: 'openai-compatible', model: 'tiny' } }, /baseUrl is missing/],
  [{ ...alike, embed: { ...local, provider: 'anthropic', apiKeyEnv: 'KEY' } }, /the provider "openai-compatible"/],
  [{ ...alike, embed: { ...local, options: { temperature: 0 } } }, /no "options"/],
  [{ type: 'similar-to', by: 'rouge-l' }, /"threshold" must be a number from 0 to 1/],
  [{ type: 'output-json', schema: 'nowhere.json' }, /nowhere\.json: there is no such file/],
  [{ type: 'output-json', schema: { type: 'strng' } }, /Not a JSON Schema at #\/type/],
  [{ type: 'matches-expected', by: 'exact' }, /"by" must be one of "text"/],
  [{ type: 'within' }, /give at least one limit/],
])('%j is refused', async (description, message) => {
  const { judge, issues } = await read(description)
  expect(judge).toBeUndefined()
  expect(issues.map(({ problem }) => problem).join('\n')).toMatch(message)
})
