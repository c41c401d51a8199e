import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { arePortsFree, usablePorts } from '../../src/lib/process/free-network-ports.ts'

test('uses ports outside the kernel’s ephemeral range, if enough are left', () => {
  expect(usablePorts([32_768, 60_999])).toEqual({ from: 10_240, to: 32_767 })
  expect(usablePorts([1_024, 50_000])).toEqual({ from: 50_001, to: 65_535 })
  expect(usablePorts([1_024, 65_535])).toEqual({ from: 10_240, to: 65_535 })
  const { from, to } = usablePorts()
  expect(to - from).toBeGreaterThan(1_000)
})

test.each(['127.0.0.1', '0.0.0.0'])(
  'a range is not free if a server listens on one of its ports at %s',
  async (host) => {
    const server = createServer()
    server.listen(0, host)
    await once(server, 'listening')
    const address = server.address()
    const port = address && typeof address === 'object' ? address.port : 0
    expect(await arePortsFree(port, 1)).toBe(false)
    expect(await arePortsFree(port - 1, 2)).toBe(false)
    server.close()
    await once(server, 'close')
    expect(await arePortsFree(port, 1)).toBe(true)
  },
)
