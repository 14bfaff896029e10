import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { databaseVariables, services } from './deployments.js'
import { copyOfExample, textOf } from './example.js'

test.skipIf(noPostgres)(
  `the page of compose.yaml answers, and only on this machine [${noPostgres ?? 'PostgreSQL'}]`,
  async () => {
    using copy = copyOfExample()
    const { command, ports } = services.viewer
    expect(ports).toEqual([`127.0.0.1:${command.at(-1)}:${command.at(-1)}`])
    const viewer = copy.start([...command.slice(0, -1), '0'], databaseVariables(await newDatabase()))
    await viewer.said('Stop with Ctrl-C')
    const [address = ''] = /http:\/\/localhost:\S+/.exec(viewer.text()) ?? []
    expect((await fetch(address)).status).toBe(200)
    viewer.child.kill('SIGTERM')
    await viewer.ended
  },
)

test('the image starts what the service names as it is, not as root', () => {
  const lines = textOf('Dockerfile').split('\n')
  expect(lines).toContain('ENTRYPOINT ["tini", "--"]')
  expect(lines).toContain('USER 1000:1000')
})
