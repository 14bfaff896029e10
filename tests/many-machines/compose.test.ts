import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { copyOfExample, textOf, yamlOf } from './example.js'
import { shareARun } from './workers.js'

interface Service {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}

const { services } = yamlOf<{
  readonly services: Readonly<Record<'worker' | 'submit' | 'viewer' | 'database', Service>>
}>('compose.yaml')

/** The variables of a service, with the password of `.env`; a scratch database is at another address. */
async function variablesOf(name: 'worker' | 'submit' | 'viewer') {
  const address = new URL(await newDatabase())
  const { JURIST_RESULTS, PGPASSWORD, ...others } = services[name].environment
  expect([JURIST_RESULTS, PGPASSWORD, others]).toEqual([
    `postgres://${services.database.environment['POSTGRES_USER']}@database/${services.database.environment['POSTGRES_DB']}`,
    services.database.environment['POSTGRES_PASSWORD'],
    {},
  ])
  const { password } = address
  address.password = ''
  return { JURIST_RESULTS: address.href, PGPASSWORD: password }
}

test.skipIf(noPostgres)(`two workers of compose.yaml share a run [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const { worker, submit } = services
  await shareARun(copy, { worker: worker.command, submit: submit.command, env: await variablesOf('worker') })
})

test.skipIf(noPostgres)(`its page answers, and only on this machine [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const { command, ports } = services.viewer
  expect(ports).toEqual([`127.0.0.1:${command.at(-1)}:${command.at(-1)}`])
  const viewer = copy.start([...command.slice(0, -1), '0'], await variablesOf('viewer'))
  await viewer.said('Stop with Ctrl-C')
  const [address = ''] = /http:\/\/localhost:\S+/.exec(viewer.text()) ?? []
  expect((await fetch(address)).status).toBe(200)
  viewer.child.kill('SIGTERM')
  await viewer.ended
})

test('the image starts what the service names as it is, not as root', () => {
  const lines = textOf('Dockerfile').split('\n')
  expect(lines).toContain('ENTRYPOINT ["tini", "--"]')
  expect(lines).toContain('USER 1000:1000')
})
