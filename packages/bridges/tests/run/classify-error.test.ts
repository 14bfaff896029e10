import { describe, expect, test } from 'vitest'
import { thrownOutcome } from '../../src/run/classify-error.js'

const thrown = (fields: object, message = 'no') => Object.assign(new Error(message), fields)
const named = (name: string) => thrown({ name })

describe('what is thrown', () => {
  test.each([
    [named('TimeoutError'), 'timeout', 'timeout', undefined],
    [named('ModelTimeoutError'), 'timeout', 'timeout', undefined],
    [thrown({ code: 'ETIMEDOUT' }), 'timeout', 'timeout', undefined],
    [thrown({ cause: thrown({ code: 'UND_ERR_HEADERS_TIMEOUT' }) }), 'timeout', 'timeout', undefined],
    [thrown({ code: 'model-timeout' }), 'timeout', 'timeout', undefined],
    [named('ModelRefusalError'), 'refused', 'refused', undefined],
    [named('InputGuardrailTripwireTriggered'), 'refused', 'refused', undefined],
    [thrown({ code: 'model-refused' }), 'refused', 'refused', undefined],
    [thrown({ status: 401 }), 'failed', 'error', true],
    [thrown({ statusCode: 529 }), 'failed', 'error', true],
    [thrown({ status: 404 }), 'failed', 'error', false],
    [thrown({ cause: thrown({ code: 'ECONNREFUSED' }) }), 'failed', 'error', true],
    [thrown({ code: 'ENOTFOUND' }), 'failed', 'error', true],
    [thrown({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'failed', 'error', true],
    [thrown({ code: 'agent-start' }), 'failed', 'error', true],
    [named('MaxTurnsExceededError'), 'failed', 'error', false],
    [thrown({}, 'Request timed out: 429 ECONNREFUSED refused'), 'failed', 'error', false],
    ['a text', 'failed', 'error', false],
    [undefined, 'failed', 'error', false],
  ])('%s', (value, status, invocation, infrastructure) => {
    const outcome = thrownOutcome(value)
    expect([outcome.status, outcome.invocation, outcome.failure.infrastructure]).toEqual([
      status,
      invocation,
      infrastructure,
    ])
  })

  test('an HTTP status is the code', () => {
    expect(thrownOutcome(thrown({ status: 429, code: 'rate_limit' })).failure).toEqual({
      name: 'Error',
      message: 'no',
      code: 'http-429',
      infrastructure: true,
    })
  })

  test('a key that a service quotes is redacted', () => {
    const { message } = thrownOutcome(
      new Error('Incorrect API key provided: sk-proj-1234_5678. See "Bearer abcdefgh1".'),
    ).failure
    expect(message).toBe('Incorrect API key provided: ***. See "***".')
    const told = (text: string) => thrownOutcome(new Error(text)).failure.message
    expect(told('Authorization: Basic dXNlcjpwYXNzd29yZA== is wrong')).toBe('Authorization: *** is wrong')
    expect(told('{"x-api-key": "0123456789abcdef"}')).toBe('{"x-api-key": "***"}')
    expect(told('sent Bearer eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNry')).toBe('sent ***')
    expect(told('the token eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNry is old')).toBe('the token *** is old')
    expect(thrownOutcome(new Error('risk-averse asks for task-specific words')).failure.message).toBe(
      'risk-averse asks for task-specific words',
    )
  })

  test.each([
    'No module named pkg_resources',
    'cannot import name clone from sklearn_extra',
    'the id skip-navigation-link is missing',
    'Authorization: required, but it is missing',
    'Basic authentication is off; Bearer authentication is on',
    'api-key: undefined',
  ])('%s: words are no keys', (message) => {
    expect(thrownOutcome(new Error(message)).failure.message).toBe(message)
  })

  test('a signal that has fired decides, whatever was thrown', () => {
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    expect(thrownOutcome(thrown({ status: 500 }), late).status).toBe('timeout')
    expect(thrownOutcome(thrown({ name: 'TimeoutError' }), AbortSignal.abort('enough')).status).toBe('cancelled')
    expect(thrownOutcome(named('AbortError'), new AbortController().signal).status).toBe('failed')
  })

  test('nothing that is thrown can throw again', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    )
    const ring: { cause?: unknown } = {}
    ring.cause = ring
    for (const value of [hostile, ring, Object.create(null), 7n, Symbol('x')])
      expect(thrownOutcome(value).status).toBe('failed')
  })
})
