import { describe, expect, test } from 'vitest'
import { routeOf } from '../../src/http/http-options.js'

describe('an address', () => {
  test.each([
    ['http://localhost:1/v1', 'http://localhost:1/v1/x'],
    ['http://localhost:1/v1///', 'http://localhost:1/v1/x'],
    ['https://host', 'https://host/x'],
    ['https://host/a?api-version=1#part', 'https://host/a/x?api-version=1'],
  ])('%s', (base, route) => expect(routeOf('test', base, '/x').href).toBe(route))

  test.each(['host', 'ftp://host', 'http://a:b@host', 'http://'])('%s is refused, and not shown', (base) => {
    const make = () => routeOf('test', base, '/x')
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid', details: { option: 'baseUrl' } }))
    expect(make).not.toThrow('a:b')
  })
})
