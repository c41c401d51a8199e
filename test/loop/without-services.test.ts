import { expect, test } from 'vitest'
import { withoutServices } from '../../src/loop/check/run-witnesses.ts'

test('removes only variables that lead to keys, containers, the desktop or another socket', () => {
  const kept = { PATH: '/run/current-system/sw/bin:/usr/bin', HOME: '/home/me', LANG: 'C', NODE_ENV: 'test' }
  const left = {
    SSH_AUTH_SOCK: '/tmp/agent.1',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1/bus',
    DOCKER_HOST: 'tcp://127.0.0.1:2375',
    GPG_AGENT_INFO: '/home/me/.gnupg/S.gpg-agent:0:1',
    XDG_RUNTIME_DIR: '/run/user/1',
    WAYLAND_DISPLAY: 'wayland-0',
    DISPLAY: ':0',
    XAUTHORITY: '/home/me/.Xauthority',
    MY_DATABASE: '/run/postgresql/main.sock',
    MY_BUS: 'unix:/srv/bus',
  }
  expect(withoutServices({ ...kept, ...left })).toEqual(kept)
})
