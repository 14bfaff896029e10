import { existsSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { partsOf } from '../../../../viewer/tests/report-parts.js'
import { type Project, project, yamlConfigOf } from '../../project.js'

describe('jurist view', () => {
  let made: Project
  beforeAll(async () => {
    made = project({ 'jurist.config.yaml': yamlConfigOf() })
    await made.jurist('run')
  })
  afterAll(() => made[Symbol.dispose]())

  test('serves the page on loopback until it is interrupted', async () => {
    const { child, ended } = made.startWith(
      { XDG_STATE_HOME: join(made.directory, 'state') },
      '-C',
      '.',
      'view',
      'latest',
    )
    let stdout = ''
    const url = await new Promise<URL>((resolve) => {
      child.stdout?.on('data', (text) => {
        stdout += text
        if (stdout.includes('\n')) resolve(new URL(stdout.trim()))
      })
    })
    expect(url.hostname).toBe('127.0.0.1')
    expect(url.hash).toMatch(/^#\/runs\/\d{8}T/)
    const token = url.searchParams.get('token') ?? ''
    expect(token).toMatch(/^[\w-]{32}$/)
    expect(await get(url, '/api/runs')).toMatchObject({ status: 401, command: undefined })
    expect((await get(url, '/api/runs', { 'x-jurist-token': `${token}x` })).status).toBe(401)
    expect(statSync(join(made.directory, 'state/jurist/view-token')).mode & 0o777).toBe(0o600)
    const trusted = await get(url, '/api/runs', { 'x-jurist-token': token })
    expect(trusted.command).toBe(encodeURIComponent('jurist -C .'))
    const { runs } = JSON.parse(trusted.body)
    expect(runs).toMatchObject([{ experimentName: 'demo', status: 'completed' }])
    expect(await get(url, '/')).toMatchObject({ body: expect.stringContaining('<div id="page">'), command: undefined })
    expect((await get(url, '/', { host: 'example.com' })).status).toBe(403)
    expect((await get(url, '/', { origin: 'http://example.com' })).status).toBe(403)
    expect((await get(url, '/', {}, 'POST')).status).toBe(405)
    expect((await get(url, '/../../etc/passwd')).status).toBe(404)
    expect((await get(url, '//')).status).toBe(404)
    expect((await get(url, '/', { host: 'a b' })).status).toBeGreaterThanOrEqual(400)
    const head = await get(url, '/', {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, body: '' })
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })

  test('writes one file with --static', async () => {
    const { code, stdout } = await made.jurist('view', '--static', 'report')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'report/index.html\n' })
    const html = readFileSync(join(made.directory, 'report/index.html'), 'utf8')
    expect(html).toContain('Content-Security-Policy')
    expect(partsOf(html)['report-index']).toMatchObject([{ runs: [{ experimentName: 'demo' }], documents: {} }])
  })

  test('writes journals and changes with --with, which needs --static', async () => {
    const { code } = await made.jurist('view', '--static', 'whole', '--with', 'journals', '--with', 'changes')
    expect(code).toBe(0)
    const html = readFileSync(join(made.directory, 'whole/index.html'), 'utf8')
    const [{ documents }] = partsOf(html)['report-index'] as readonly [{ readonly documents: object }]
    const views = Object.keys(documents).map((address) => /(\w+)\?(.*)$/.exec(address)?.slice(1).join(' ').trim())
    expect(new Set(views)).toEqual(
      new Set(['behaviour', 'journal', 'changes against=before', 'changes against=reference']),
    )
    expect(await made.jurist('view', '--with', 'journals')).toMatchObject({ code: 2 })
    expect(await made.jurist('view', '--static', 'whole', '--with', 'secrets')).toMatchObject({ code: 2 })
  })

  test('refuses what cannot be listened to or written', async () => {
    expect(await made.jurist('view', '--port', 'x')).toMatchObject({ code: 2 })
    expect(await made.jurist('view', '--port', '70000')).toMatchObject({ code: 2 })
    const far = await made.jurist('view', '--host', '203.0.113.1')
    expect(far).toMatchObject({ code: 2 })
    expect(far.stderr).toContain('Cannot listen on 203.0.113.1')
    expect(await made.jurist('view', 'nonsense')).toMatchObject({ code: 2 })
    made.write({ taken: 'a file' })
    expect(await made.jurist('view', '--static', 'taken')).toMatchObject({ code: 2 })
    expect(existsSync(join(made.directory, 'taken/index.html'))).toBe(false)
  })
})

/** Asks as no browser would: the path and the headers go out as they are. */
function get(url: URL, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  return new Promise<{ readonly status: number; readonly body: string; readonly command: unknown }>(
    (resolve, reject) => {
      const asked = request({ host: url.hostname, port: url.port, path, headers, method }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text) => (body += text))
        const command = response.headers['x-jurist-command']
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body, command }))
      })
      asked.on('error', reject)
      asked.end()
    },
  )
}
