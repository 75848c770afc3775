-- What wrk sends, and what it tells afterwards.
--
-- Arguments after `--`: a file of cookies, one `name=value` a line ("-" for none), then request fields as `Name: value`.
-- Each request carries the next cookie. All requests are written out beforehand, so that the load costs little itself.

local requests = {}
local nextRequest = 0

function init(args)
  local headers = {}
  for index = 2, #args do
    local name, value = args[index]:match("^([^:]+): (.*)$")
    headers[name] = value
  end
  if args[1] == "-" then
    requests[1] = wrk.format("GET", nil, headers)
    return
  end
  for cookie in io.lines(args[1]) do
    headers["Cookie"] = cookie
    requests[#requests + 1] = wrk.format("GET", nil, headers)
  end
end

function request()
  nextRequest = nextRequest % #requests + 1
  return requests[nextRequest]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"durationMs":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"badStatus":%d,"socketErrors":%d}\n',
    summary.requests, summary.duration / 1000, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
