/** TCP ports that nobody listens on, in rows, out of those that the kernel gives to nobody by itself. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Well-known services are below. */
const lowest = 10_240
const highest = 65_535

/** What most kernels give to outgoing connections begins here or higher. */
const usualEphemeral: [number, number] = [32_768, 65_535]

/**
 * The ports that can be had: below those that the kernel gives to outgoing connections, or above, where more are left.
 * One of the kernel's own could be taken by any connection between our look and its use.
 */
export function usablePorts(ephemeral: [number, number] = readEphemeral()): { from: number; to: number } {
  const below = { from: lowest, to: Math.min(ephemeral[0] - 1, highest) }
  const above = { from: Math.max(lowest, ephemeral[1] + 1), to: highest }
  const size = ({ from, to }: { from: number; to: number }) => to - from + 1
  const larger = size(below) >= size(above) ? below : above
  // Where the kernel keeps nearly all for itself, there is nothing better than to share with it.
  return size(larger) >= smallestZone ? larger : { from: lowest, to: highest }
}

const smallestZone = 1_000

function readEphemeral(): [number, number] {
  try {
    const [low, high] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)
    const range: [number, number] = [Number(low), Number(high)]
    return range.every((port) => port > 0 && port <= highest) ? range : usualEphemeral
  } catch {
    return usualEphemeral
  }
}

/** Whether all of them could be listened on at this moment, by IPv4 and by IPv6 where there is one. */
export async function arePortsFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port += 1)
    if (!((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1')))) return false
  return true
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error && isNoAddress(error.code)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** There is no such address on this machine, so nobody listens there, either. */
function isNoAddress(code: unknown): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
}
