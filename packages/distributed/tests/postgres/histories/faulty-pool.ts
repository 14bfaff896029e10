import type { PostgresClient, PostgresPool } from '@jurist/distributed/postgres'

/**
 * A pool whose connections break: before a statement, so that it never happens, or after it, so that it has happened and its
 * answer is lost.
 *
 * @param breaks whether something breaks now
 */
export function faultyPool(pool: PostgresPool, breaks: () => boolean): PostgresPool {
  async function faulty<Value>(statement: () => Promise<Value>): Promise<Value> {
    if (breaks()) throw brokenConnection()
    const answer = await statement()
    if (breaks()) throw brokenConnection()
    return answer
  }
  return {
    query: (text, values) => faulty(() => pool.query(text, values)),
    async connect(): Promise<PostgresClient> {
      const client = await pool.connect()
      return {
        // A transaction that is being rolled back has broken already.
        query: (text, values) =>
          text === 'rollback' ? client.query(text, values) : faulty(() => client.query(text, values)),
        release: (error) => client.release(error),
      }
    },
  }
}

function brokenConnection(): Error {
  return Object.assign(new Error('the connection was broken on purpose'), { code: 'ECONNRESET' })
}
