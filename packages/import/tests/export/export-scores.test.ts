import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { project } from '../../../jurist/tests/project.js'

const config = `experiments:
  sums:
    dataset: rows.jsonl
    jury: { type: output-text, equals: '4' }
`
const rows = ['4', '5'].map((output, index) => JSON.stringify({ id: `r${index}`, task: '2+2', output })).join('\n')

interface Seen {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly [name: string]: unknown }
}

/** A service on loopback that answers as `answers` says, once each, and then with what `usual` returns. */
async function service(answers: readonly number[], usual: (seen: Seen) => object, retryAfterMs = 1) {
  const seen: Seen[] = []
  const left = [...answers]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    }
    seen.push(one)
    const status = left.shift() ?? 200
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': String(retryAfterMs) })
    response.end(JSON.stringify(status === 200 ? usual(one) : { message: `no: ${request.headers.authorization}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { seen, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() }
}

async function judged() {
  const place = project({ 'jurist.config.yaml': config, 'rows.jsonl': rows })
  await place.jurist('run', 'sums')
  return place
}

describe('jurist export --to', () => {
  test('langfuse: a trace and scores with stable ids; sending twice sends the same', async () => {
    using place = await judged()
    using langfuse = await service([503], () => ({ successes: [], errors: [] }))
    const env = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk-secret', LANGFUSE_HOST: langfuse.url }
    const ran = await place.juristWith(env, 'export', 'latest', '--to', 'langfuse')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('of 2 trials to langfuse')
    const [retried, traces, ...scores] = langfuse.seen
    expect(retried?.body).toEqual(traces?.body)
    expect(traces).toMatchObject({
      path: '/api/public/ingestion',
      headers: { authorization: `Basic ${Buffer.from('pk:sk-secret').toString('base64')}` },
      body: {
        batch: [{ type: 'trace-create', body: { name: 'r0#1', input: '2+2', output: '4' } }, { type: 'trace-create' }],
      },
    })
    const passed = scores.filter(({ body }) => body.name === 'passed')
    expect(passed.map(({ path, body }) => [path, body.value, body.dataType])).toEqual([
      ['/api/public/scores', 1, 'BOOLEAN'],
      ['/api/public/scores', 0, 'BOOLEAN'],
    ])
    const before = langfuse.seen.slice(1).map(({ body }) => JSON.stringify(body))
    await place.juristWith(env, 'export', 'latest', '--to', 'langfuse')
    expect(langfuse.seen.slice(1 + before.length).map(({ body }) => JSON.stringify(body))).toEqual(before)
  })

  test('langsmith: runs and feedback; what is there already is no error', async () => {
    using place = await judged()
    using langsmith = await service([200, 409, 409], ({ path }) => (path.startsWith('/sessions') ? { id: 'p-1' } : {}))
    const env = { LANGSMITH_API_KEY: 'key-1', LANGSMITH_ENDPOINT: langsmith.url, LANGSMITH_WORKSPACE_ID: 'w-1' }
    const ran = await place.juristWith(env, 'export', 'latest', '--to', 'langsmith', '--project', 'mine')
    expect(ran.code).toBe(0)
    const [made, run, feedback] = langsmith.seen
    expect(made).toMatchObject({ path: '/sessions?upsert=true', body: { name: 'mine' } })
    const { id, start_time: start } = run?.body ?? {}
    const compact = String(start).replaceAll(/[-:.Z]/g, '')
    expect(run?.body).toMatchObject({ trace_id: id, dotted_order: `${compact}000Z${id}` })
    expect(run).toMatchObject({
      ...{ path: '/runs', headers: { 'x-api-key': 'key-1', 'x-tenant-id': 'w-1' } },
      body: { run_type: 'chain', session_name: 'mine', inputs: { input: '2+2' }, outputs: { output: '4' } },
    })
    expect(feedback).toMatchObject({
      path: '/feedback',
      body: { run_id: id, session_id: 'p-1', start_time: start, key: 'passed', score: 1 },
    })
  })

  test('braintrust: project, experiment, events', async () => {
    using place = await judged()
    using braintrust = await service([], ({ path }) => ({ id: `id of ${path}` }))
    const env = { BRAINTRUST_API_KEY: 'key-1', BRAINTRUST_API_URL: braintrust.url }
    expect((await place.juristWith(env, 'export', 'latest', '--to', 'braintrust')).code).toBe(0)
    const [made, experiment, inserted] = braintrust.seen
    expect(made).toMatchObject({
      path: '/v1/project',
      headers: { authorization: 'Bearer key-1' },
      body: { name: 'sums' },
    })
    expect(experiment).toMatchObject({ body: { project_id: 'id of /v1/project', ensure_new: false } })
    expect(inserted?.path).toBe(`/v1/experiment/${encodeURIComponent('id of /v1/experiment')}/insert`)
    expect(inserted?.body).toMatchObject({
      events: [{ input: '2+2', output: '4', scores: { passed: 1 } }, { scores: { passed: 0 } }],
    })
  })

  test('an answer that repeats the key does not print it; a missing key is named; a dry run needs none', async () => {
    using place = await judged()
    using langfuse = await service([401], () => ({}))
    const env = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk-secret', LANGFUSE_HOST: langfuse.url }
    const refused = await place.juristWith(env, 'export', 'latest', '--to', 'langfuse')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('answered 401')
    const encoded = Buffer.from('pk:sk-secret').toString('base64')
    for (const secret of ['sk-secret', encoded]) expect(`${refused.stdout}${refused.stderr}`).not.toContain(secret)

    const missing = await place.jurist('export', 'latest', '--to', 'langsmith')
    expect(missing.stderr).toContain('LANGSMITH_API_KEY')
    const dry = await place.jurist('export', 'latest', '--to', 'langsmith', '--dry-run')
    expect(
      dry.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).path),
    ).toContain('/feedback')
    expect((await place.jurist('export', 'latest', '--dry-run')).stderr).toContain('needs --to')
  })

  test.each([
    [401, 'Check LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, and that LANGFUSE_BASE_URL (now 127.0.0.1:'],
    [404, 'Check LANGFUSE_BASE_URL (now 127.0.0.1:'],
    [302, 'Check LANGFUSE_BASE_URL (now 127.0.0.1:'],
    [429, 'Run the command again in 100 s: what was sent is not sent twice. 2 requests were accepted before.'],
    [503, 'Run the command again later: what was sent is not sent twice. 2 requests were accepted before.', 5, 1],
  ])(
    'a request that is answered by %d ends it, and says what to do',
    async (status, advice, times = 1, pause = 1e5) => {
      using place = await judged()
      using langfuse = await service([200, 200, ...Array(times).fill(status)], () => ({ errors: [] }), pause)
      const env = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk-secret', LANGFUSE_BASE_URL: langfuse.url }
      const { code, stderr } = await place.juristWith(env, 'export', 'latest', '--to', 'langfuse')
      expect([code, langfuse.seen.length]).toEqual([2, 2 + times])
      expect(stderr).toContain(`langfuse answered ${status} to POST`)
      expect(stderr).toContain(advice)
    },
  )

  test('an address that answers with a page is named', async () => {
    using place = await judged()
    const page = createServer((_, response) => response.end('<html>'))
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    const env = { BRAINTRUST_API_KEY: 'key-1', BRAINTRUST_API_URL: url }
    const wrong = await place.juristWith(env, 'export', 'latest', '--to', 'braintrust')
    page.close()
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('answered 200 without JSON to POST')])
  })

  test('what a service refuses is named, and does not stop the rest', async () => {
    using place = await judged()
    const error = { id: 'trace-1', status: 400, message: 'bad\u001b[2J name' }
    using langfuse = await service([207, 422], () => ({}))
    using partly = await service([], ({ path }) => (path.endsWith('ingestion') ? { errors: [error] } : {}))
    const env = (url: string) => ({
      LANGFUSE_PUBLIC_KEY: 'pk',
      LANGFUSE_SECRET_KEY: 'sk-secret',
      LANGFUSE_BASE_URL: url,
    })
    const ran = await place.juristWith(env(langfuse.url), 'export', 'latest', '--to', 'langfuse')
    // A request for both traces, and one for each of their scores.
    expect(ran.code).toBe(2)
    expect(langfuse.seen.filter(({ body }) => body['name'] === 'passed')).toHaveLength(2)
    expect(ran.stderr).toMatch(
      /langfuse did not take:\n {2}answered 422 to POST .*\nIt accepted everything else\. Correct the cause/,
    )
    const named = await place.juristWith(env(partly.url), 'export', 'latest', '--to', 'langfuse')
    expect(named.stderr).toMatch(/ {2}a trace: \{"id":"trace-1".*bad.* name"\}\nIt accepted everything else/)
    expect(partly.seen.length).toBe(langfuse.seen.length)
    using braintrust = await service([400], () => ({}))
    const keys = { BRAINTRUST_API_KEY: 'key-1', BRAINTRUST_API_URL: braintrust.url }
    const refused = await place.juristWith(keys, 'export', 'latest', '--to', 'braintrust')
    expect([refused.code, braintrust.seen.length]).toEqual([2, 1])
    expect(refused.stderr).toContain('answered 400 to POST')
  })

  test('what looks like a key is not sent', async () => {
    const key = 'sk-proj-Abcdef0123456789abcdef0123456789'
    const row = JSON.stringify({ id: 'r', task: `Use ${key}.`, output: `Bearer ${key}` })
    using place = project({ 'jurist.config.yaml': config, 'rows.jsonl': row })
    await place.jurist('run', 'sums')
    using langfuse = await service([], () => ({ successes: [], errors: [] }))
    const env = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk-secret', LANGFUSE_HOST: langfuse.url }
    expect((await place.juristWith(env, 'export', 'latest', '--to', 'langfuse')).code).toBe(0)
    expect(JSON.stringify(langfuse.seen[0]?.body)).toContain('Use ***.')
    expect(JSON.stringify(langfuse.seen.map(({ body }) => body))).not.toContain(key)
  })

  test('requests stay below what the services take', async () => {
    const long = Array.from({ length: 5 }, (_, index) =>
      JSON.stringify({ id: `r${index}`, task: 'Repeat.', output: `${index}`.repeat(1_200_000) }),
    )
    using place = project({ 'jurist.config.yaml': config, 'rows.jsonl': long.join('\n') })
    await place.jurist('run', 'sums')
    using langfuse = await service([], () => ({ successes: [], errors: [] }))
    const env = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk-secret', LANGFUSE_HOST: langfuse.url }
    expect((await place.juristWith(env, 'export', 'latest', '--to', 'langfuse')).code).toBe(0)
    const batches = langfuse.seen
      .filter(({ path }) => path === '/api/public/ingestion')
      .map(({ body }) => body['batch'])
    expect(batches.map((batch) => (batch as readonly unknown[]).length)).toEqual([2, 2, 1])
  })
})
