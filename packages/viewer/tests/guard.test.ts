import { memoryStore } from '@jurist/experiment/store'
import { describe, expect, test } from 'vitest'
import { viewer } from '../src/viewer.js'

const page = viewer(memoryStore(), { hosts: ['build-2', '10.0.0.7'] })
const ask = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  page(new Request('http://localhost:4040/', { method, headers }))

describe('who may ask', () => {
  test.each([
    'localhost',
    'localhost:4040',
    'LOCALHOST:1',
    '127.0.0.1:4040',
    '[::1]:4040',
    '[::1]',
    'build-2:80',
    '10.0.0.7',
  ])('a request for %s', async (host) => {
    expect((await ask({ host })).status).toBe(200)
  })

  test.each([
    'example.com',
    'example.com:4040',
    'localhost.example.com',
    'localhost@example.com',
    '127.0.0.1.example.com',
    '127.0.0.2',
    '10.0.0.8',
    '0.0.0.0',
    '[::2]',
    'localhost:4040:4040',
    'localhost:x',
    'localhost/',
    'evil localhost',
    '',
  ])('but not for %s', async (host) => {
    expect((await ask({ host })).status).toBe(403)
  })

  test.each(['http://localhost:4040', 'HTTP://LOCALHOST:4040'])('the page itself, %s', async (origin) => {
    expect((await ask({ host: 'localhost:4040', origin })).status).toBe(200)
  })

  test.each([
    'http://example.com',
    'http://localhost:4041',
    'http://localhost',
    'http://127.0.0.1:4040',
    'https://localhost.example.com:4040',
    'null',
    'file://',
    'chrome-extension://localhost:4040',
    'nonsense',
    '',
  ])('and no other page, %s', async (origin) => {
    expect((await ask({ host: 'localhost:4040', origin })).status).toBe(403)
  })
})

describe('what may be asked', () => {
  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('%s is refused', async (method) => {
    const response = await ask({}, method)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })

  test('GET and HEAD are answered', async () => {
    expect((await ask({}, 'GET')).status).toBe(200)
    expect((await ask({}, 'HEAD')).status).toBe(200)
  })

  test.each([
    '/index.html',
    '/page.js.map',
    '/../package.json',
    '/%2e%2e/package.json',
    '/api',
    '/api/',
    '/api/runs/',
    '/api/stores',
    '/api/runs/nonsense',
    '/api/runs/20200101T000000000Z-000000',
    '/api/runs/20200101T000000000Z-000000/items',
    '/api/runs/..%2f..%2fetc%2fpasswd',
    '/api/runs/%E0%A4%A',
    '/api/__proto__',
    '/constructor',
    '/__proto__',
  ])('there is no %s', async (path) => {
    expect((await page(new Request(`http://localhost${path}`))).status).toBe(404)
  })
})

describe('every answer', () => {
  test.each(['/', '/page.js', '/page.css', '/icon.svg', '/api/runs', '/api/nothing'])('%s is fenced', async (path) => {
    const { headers } = await page(new Request(`http://localhost${path}`))
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('nothing that was sent comes back', async () => {
    const response = await page(new Request('http://localhost/api/%3Cscript%3E?q=%3Cscript%3E'))
    expect(await response.text()).not.toContain('script')
  })
})

describe('a token', () => {
  const guarded = viewer(memoryStore(), { token: 'secret' })
  const asked = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    guarded(new Request(`http://localhost:4040${path}`, { headers }))

  test('is asked for by every question for data, and by no file of the page', async () => {
    expect((await asked('/')).status).toBe(200)
    expect((await asked('/api/runs')).status).toBe(401)
    expect((await asked('/api/runs?token=secret')).status).toBe(401)
    expect((await asked('/api/nothing')).status).toBe(401)
    for (const wrong of ['', 'Secret', 'secret2'])
      expect((await asked('/api/runs', { 'x-jurist-token': wrong })).status).toBe(401)
    expect((await asked('/api/runs', { 'x-jurist-token': 'secret' })).status).toBe(200)
  })
})
