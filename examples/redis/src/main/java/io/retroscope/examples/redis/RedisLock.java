// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/**
 * A lock with a lease, and the store that it protects, in one Redis server. Used by one thread.
 *
 * <p>The lock's key vanishes with its lease; the number of the turn and the newest stamp are in a
 * second one, which the same scripts read and write, so that no turn is without its predecessor's
 * stamp.
 */
final class RedisLock {
  /** Turns up to this one write without a fencing token. */
  static final long FIRST_ACT_TURNS = 60;

  private static final String STAMP =
      """
      local function exchange(stamp)
        local kept = redis.call('HGET', 'turns', 'stamp') or ''
        if stamp > kept then redis.call('HSET', 'turns', 'stamp', stamp) end
        return kept
      end
      """;

  /** KEYS: none, all are in one server. ARGV: stamp, worker, lease. Returns turn (0), stamp. */
  private static final String ACQUIRE =
      STAMP
          + """
          local turn = 0
          if redis.call('GET', 'open') == '1'
              and redis.call('SET', 'lock', ARGV[2], 'NX', 'PX', ARGV[3]) then
            turn = redis.call('HINCRBY', 'turns', 'turn', 1)
            redis.call('HSET', 'acting', ARGV[2], turn)
          end
          return {tostring(turn), exchange(ARGV[1])}
          """;

  /** ARGV: stamp, turn, last turn of the first act. Returns verdict, stamp. */
  private static final String WRITE =
      STAMP
          + """
          local turn = tonumber(ARGV[2])
          local last = tonumber(redis.call('GET', 'stock') or '0')
          local verdict = 'written'
          if turn < last then
            verdict = turn > tonumber(ARGV[3]) and 'refused' or 'stale'
          end
          if verdict ~= 'refused' then
            redis.call('SET', 'stock', ARGV[2])
            redis.call('RPUSH', 'writes', ARGV[2])
          end
          return {verdict, exchange(ARGV[1])}
          """;

  /** ARGV: stamp, worker, turn, note. Deletes the lock only if it is still that of the turn. */
  private static final String RELEASE =
      STAMP
          + """
          local owner = redis.call('GET', 'lock')
          if owner == ARGV[2] then redis.call('DEL', 'lock') end
          redis.call('HDEL', 'acting', ARGV[2])
          redis.call('RPUSH', 'notes', ARGV[4])
          return {tostring(owner == ARGV[2]), exchange(ARGV[1])}
          """;

  private final Jedis jedis;
  private final String worker;
  private final long leaseMillis;
  private final Stamps stamps;

  RedisLock(Jedis jedis, String worker, long leaseMillis, Stamps stamps) {
    this.jedis = jedis;
    this.worker = worker;
    this.leaseMillis = leaseMillis;
    this.stamps = stamps;
  }

  /** The number of the new turn, or 0 if another worker has the lock. */
  long acquire() {
    return Long.parseLong(run(ACQUIRE, worker, Long.toString(leaseMillis)));
  }

  /** Writes the turn's number to the store: {@code written}, {@code stale} or {@code refused}. */
  String write(long turn) {
    return run(WRITE, Long.toString(turn), Long.toString(FIRST_ACT_TURNS));
  }

  /** Ends a turn, and leaves a note about it. */
  void release(Turn turn) {
    run(RELEASE, worker, Long.toString(turn.number()), turn.text());
  }

  private String run(String script, String... args) {
    List<String> all = Stream.concat(Stream.of(stamps.sent()), Arrays.stream(args)).toList();
    List<?> answer = (List<?>) jedis.eval(script, List.of(), all);
    stamps.received(String.valueOf(answer.get(1)));
    return String.valueOf(answer.get(0));
  }

  /** Lets workers acquire the lock, or not. */
  static void open(Jedis jedis, boolean open) {
    jedis.set("open", open ? "1" : "0");
  }

  /** Whether a worker acts as the holder, right or wrong. */
  static boolean isActing(Jedis jedis) {
    return jedis.hlen("acting") > 0;
  }

  /** The number of turns that Redis gave. */
  static long turnCount(Jedis jedis) {
    String count = jedis.hget("turns", "turn");
    return count == null ? 0 : Long.parseLong(count);
  }

  /** The turns in the order of the writes that the store took. */
  static List<Long> writes(Jedis jedis) {
    return jedis.lrange("writes", 0, -1).stream().map(Long::valueOf).toList();
  }

  /** What the workers noted about their turns. */
  static List<Turn> notes(Jedis jedis) {
    return jedis.lrange("notes", 0, -1).stream().map(Turn::parse).toList();
  }
}
