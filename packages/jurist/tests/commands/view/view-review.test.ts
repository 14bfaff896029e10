import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const rows = Array.from({ length: 6 }, (_, index) => {
  return `${JSON.stringify({ id: `q${index}`, task: `What is ${index} + 1?`, output: String(index + (index % 2) + 1), expectedOutput: String(index + 1) })}\n`
}).join('')

const config = `
experiments:
  sums: { dataset: rows.jsonl, jury: { type: matches-expected } }
`

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

let made: Project
let run: string
beforeAll(async () => {
  made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config })
  await made.jurist('run', 'sums')
  run = (await made.results.runs('sums'))[0] ?? ''
})
afterAll(() => made[Symbol.dispose]())

const lines = () => made.results.labels('sums', run)

/** Sends a request as it is, also one that no browser sends. */
function send(
  url: URL,
  path: string,
  { method = 'GET', headers = {}, body = '' }: Partial<Record<'method' | 'body', string>> & { headers?: object } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: url.hostname, port: url.port, path, method, headers: { ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A started `jurist view --review`, and requests as its page sends them. */
async function review(...flags: readonly string[]) {
  const state = { XDG_STATE_HOME: join(made.directory, 'state') }
  const { child, ended } = made.startWith(state, 'view', run, '--review', '--json', ...flags)
  const printed = await new Promise<{ url: string; review: string }>((resolve) => {
    let stdout = ''
    child.stdout?.on('data', (text) => {
      stdout += text
      if (stdout.includes('\n')) resolve(JSON.parse(stdout))
    })
  })
  const url = new URL(printed.review)
  const post = (path: string, value: unknown, headers: object = {}) =>
    send(url, path, {
      method: 'POST',
      headers: { origin: url.origin, 'content-type': 'application/json', ...headers },
      body: typeof value === 'string' ? value : JSON.stringify(value),
    })
  return {
    url,
    code: url.hash.slice(1),
    token: new URL(printed.url).searchParams.get('token') ?? '',
    post,
    begin: async () => {
      const { secret } = JSON.parse((await post('/api/review/session', { code: url.hash.slice(1) })).body)
      return { 'x-jurist-review': String(secret) }
    },
    stop: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}

const aLabel = {
  itemId: 'q1',
  repetition: 1,
  label: 'fail',
  replaces: null,
  note: null,
  categories: [],
  seconds: 2,
  shown: null,
}

/** Where the labels are makes no difference to these. */
const onFiles = test.skipIf(onPostgres)

describe('jurist view --review', () => {
  onFiles('exchanges its code once, and reads and writes nothing without the secret', async () => {
    const { url, code, token, post, begin, stop } = await review('--by', 'ana')
    expect(code).toMatch(/^[\w-]{32}$/)
    const without = () => send(url, '/api/review/progress')
    expect((await without()).status).toBe(401)
    expect((await send(url, '/api/review/progress', { headers: { 'x-jurist-token': token } })).status).toBe(401)
    expect((await send(url, `/api/review/progress?code=${code}`)).status).toBe(401)
    for (const wrong of ['', `${code}x`, code.toLowerCase(), token])
      expect((await post('/api/review/session', { code: wrong })).status).toBe(401)
    const secret = await begin()
    const again = await post('/api/review/session', { code })
    expect([again.status, again.body]).toEqual([401, expect.stringContaining('works only once')])
    for (const headers of [
      {},
      { 'x-jurist-review': code },
      { 'x-jurist-review': token },
      { cookie: JSON.stringify(secret) },
    ])
      expect((await post('/api/review/labels', aLabel, headers)).status).toBe(401)
    expect(await lines()).toEqual([])
    // Who labels does not see verdicts, and who sees verdicts does not label.
    expect((await send(url, '/api/runs', { headers: secret })).status).toBe(401)
    const { progress } = JSON.parse((await send(url, '/api/review/progress', { headers: secret })).body)
    expect(Object.keys(progress.next)).toEqual(['itemId', 'repetition'])
    expect((await send(url, '/api/runs', { headers: { 'x-jurist-token': token } })).status).toBe(200)
    await stop()
  })

  onFiles('refuses other origins, other hosts, other methods, other types and large bodies', async () => {
    const { url, post, begin, stop } = await review('--by', 'ana')
    const secret = await begin()
    const refused = async (status: number, answer: Promise<Answer>) => expect((await answer).status).toBe(status)
    const labels = (headers: object, body: unknown = aLabel) =>
      post('/api/review/labels', body, { ...secret, ...headers })
    for (const origin of [
      'http://example.com',
      'http://localhost:1',
      `http://127.0.0.1:${Number(url.port) + 1}`,
      'null',
      '',
    ])
      await refused(403, labels({ origin }))
    for (const host of ['example.com', `example.com:${url.port}`, 'localhost.example.com'])
      await refused(403, labels({ host, origin: `http://${host}` }))
    const { 'x-jurist-review': held } = secret
    const noOrigin = { 'content-type': 'application/json', 'x-jurist-review': held }
    await refused(
      403,
      send(url, '/api/review/labels', { method: 'POST', headers: noOrigin, body: JSON.stringify(aLabel) }),
    )
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])
      await refused(415, labels({ 'content-type': type }))
    await refused(413, labels({}, { ...aLabel, note: 'x'.repeat(40_000) }))
    await refused(413, labels({ 'transfer-encoding': 'chunked' }, JSON.stringify({ note: 'x'.repeat(3_000_000) })))
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD'])
      await refused(405, send(url, '/api/review/labels', { method, headers: { ...secret, origin: url.origin } }))
    for (const path of ['/api/review/progress', '/review', '/review.js', '/api/review/items/q1/1', '/', '/api/runs'])
      await refused(405, post(path, aLabel, secret))
    await refused(403, send(url, '/review', { headers: { host: 'example.com' } }))
    await refused(403, send(url, '/api/review/progress', { headers: { ...secret, origin: 'http://example.com' } }))
    expect(await lines()).toEqual([])
    await refused(200, labels({}))
    expect(await lines()).toMatchObject([{ itemId: 'q1', annotator: 'ana', use: 'certify' }])
    await stop()
  })

  onFiles('makes items of trials for the page of results alone, which has the token', async () => {
    const { url, token, post, begin, stop } = await review('--by', 'ana')
    const asked = { run, trial: 'q1#1' }
    const statusOf = async (headers: object, body: unknown = asked) =>
      (await post('/api/promote', body, headers)).status
    const held = { 'x-jurist-token': token }
    expect(await statusOf({})).toBe(401)
    expect(await statusOf(await begin())).toBe(401)
    expect(await statusOf({ ...held, origin: 'http://example.com' })).toBe(403)
    expect(await statusOf({ ...held, 'content-type': 'text/plain' })).toBe(415)
    expect(await statusOf(held, { run })).toBe(400)
    expect((await send(url, '/api/promote', { headers: held })).status).toBe(405)
    const none = await post('/api/promote', { run, trial: 'q9#1' }, held)
    expect([none.status, none.body]).toEqual([409, expect.stringContaining('The run has no trial')])
    await stop()
  })

  onFiles('refuses what is no label of its trials, and lets nothing but the label come from the page', async () => {
    const { url, post, begin, stop } = await review('--by', 'ben', '--item', 'q2', '--item', 'q3')
    const secret = await begin()
    const before = (await lines()).length
    const q2 = { ...aLabel, itemId: 'q2' }
    for (const [body, status] of [
      ['{', 400],
      ['null', 400],
      ['[]', 400],
      [{ ...q2, label: 'maybe' }, 400],
      [{ ...q2, itemId: '' }, 400],
      [{ ...q2, repetition: 1.5 }, 400],
      [{ ...q2, note: 7 }, 400],
      [{ ...q2, seconds: -1 }, 400],
      [{ ...q2, repetition: 2 }, 404],
      [{ ...q2, itemId: 'q0' }, 404],
      [{ ...q2, itemId: '../q2' }, 404],
      [{ ...q2, itemId: '__proto__' }, 404],
      [{ ...q2, replaces: 'pass' }, 409],
      [{ ...q2, label: null, replaces: 'fail' }, 409],
    ] as const)
      expect([body, (await post('/api/review/labels', body, secret)).status]).toEqual([body, status])
    expect((await lines()).length).toBe(before)
    const forged = { ...q2, annotator: 'ana', use: 'certify', at: '1999', more: 'x', __proto__: { label: 'pass' } }
    expect((await post('/api/review/labels', forged, secret)).status).toBe(200)
    expect((await lines()).at(-1)).toMatchObject({ itemId: 'q2', annotator: 'ben', use: 'explore', label: 'fail' })
    expect((await lines()).at(-1)).not.toHaveProperty('more')
    expect((await lines()).at(-1).at).not.toBe('1999')
    expect((await post('/api/review/labels', q2, secret)).body).toContain('labelled already')
    for (const path of [
      'items/q0/1',
      'items/q2/2',
      'items/q2/1/prompt',
      'items/q2/1/verdict',
      'items/q2/1/changes/x',
      'items/..%2f..%2fq2/1',
      'items/q2/1/file?path=../../../../rows.jsonl',
      'items/q2',
      'items',
      'progress/x',
      'runs',
      '',
      '%E0%A4%A',
      '__proto__',
    ])
      expect([path, (await send(url, `/api/review/${path}`, { headers: secret })).status]).toEqual([path, 404])
    await stop()
  })

  test('keeps the labels of many tabs, and none twice', async () => {
    const { post, begin, stop } = await review('--by', 'carl')
    const secret = await begin()
    const before = (await lines()).length
    const sent = ['q0', 'q1', 'q2', 'q3', 'q4', 'q5'].flatMap((itemId) =>
      ['pass', 'fail', 'skip'].map((label) => post('/api/review/labels', { ...aLabel, itemId, label }, secret)),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(6).fill(200), ...Array(12).fill(409)])
    const own = (await lines()).slice(before)
    expect(new Set(own.map(({ itemId }) => itemId)).size).toBe(6)
    await stop()
  })

  onFiles('says at its end what was labelled, as jurist label does, and shows the same', async () => {
    const state = { XDG_STATE_HOME: join(made.directory, 'state') }
    const { child, ended } = made.startWith(state, 'view', run, '--review', '--by', 'carl')
    const url = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (text) => resolve(String(text).trim())),
    )
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/review#[\w-]{32}$/)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(stdout).toContain('6 of 6 trials labelled by carl')
    expect(stdout).toContain('ana and carl agree on')
    const { url: at, begin, stop } = await review('--by', 'dora', '--sample', '1', '--seed', '5')
    const secret = await begin()
    const { progress } = JSON.parse((await send(at, '/api/review/progress', { headers: secret })).body)
    const { itemId, repetition } = progress.next
    const shown = JSON.parse((await send(at, `/api/review/items/${itemId}/${repetition}`, { headers: secret })).body)
    await stop()
    await made.juristReading('p', {}, 'label', run, '--by', 'dora', '--sample', '1', '--seed', '5')
    expect((await lines()).at(-1)).toMatchObject({ itemId, annotator: 'dora', shown: shown.hash })
  })

  onFiles.each([
    [['--sample', '4'], '--sample works with --review.'],
    [['--by', 'ana', '--disagreements'], '--disagreements works with --review.'],
    [['--review', '--static', 'out'], 'Use --review or --static'],
    [['--review', '--stratify', 'confidence', '--disagreements'], 'not both'],
    [['--review', '--item', 'nothing'], 'no completed trial'],
    [['--review', '--queue', 'none.jsonl'], 'none.jsonl'],
  ])('refuses %j', async (flags, problem) => {
    const { code, stderr } = await made.jurist('view', run, ...flags)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  onFiles('refuses an archive, whose labels would be lost', async () => {
    expect((await made.jurist('store', 'bundle', run, '-o', 'run.tgz')).code).toBe(0)
    for (const argv of [
      ['view', 'run.tgz', '--review'],
      ['label', 'run.tgz'],
    ]) {
      const { code, stderr } = await made.jurist(...argv)
      expect([code, stderr]).toEqual([2, expect.stringContaining('jurist store bundle --extract run.tgz')])
    }
  })

  onFiles('exists only with the flag', async () => {
    const state = { XDG_STATE_HOME: join(made.directory, 'state') }
    const { child, ended } = made.startWith(state, 'view', run)
    const url = new URL(
      await new Promise<string>((resolve) => child.stdout?.once('data', (text) => resolve(String(text).trim()))),
    )
    const headers = { 'x-jurist-token': url.searchParams.get('token') ?? '', origin: url.origin }
    for (const path of ['/review', '/review.js', '/review.css', '/api/review/progress', '/api/review/session'])
      expect([path, (await send(url, path, { headers })).status]).toEqual([path, 404])
    for (const path of ['/api/review/session', '/api/review/labels'])
      expect((await send(url, path, { method: 'POST', headers, body: '{}' })).status).toBe(405)
    child.kill('SIGINT')
    await ended
  })
})
