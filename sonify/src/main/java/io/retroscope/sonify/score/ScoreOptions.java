package io.retroscope.sonify.score;

import java.time.Duration;

/**
 * How recorded time becomes played time.
 *
 * @param speed how many times faster than recorded, more than 0; notes keep their length
 * @param maxSilenceMicros a longer silence is cut to this
 * @param maxLengthMicros where the last note begins at the latest; a longer score runs faster
 */
public record ScoreOptions(double speed, long maxSilenceMicros, long maxLengthMicros) {
  /** The longest score that may be asked for: a WAV of it has about 600 MB. */
  public static final Duration MAX_LENGTH = Duration.ofHours(1);

  /** As recorded, silences cut to two seconds, five minutes at most. */
  public static final ScoreOptions DEFAULT = new ScoreOptions(1, 2_000_000, 300_000_000);

  /** Checks the ranges. */
  public ScoreOptions {
    if (!(speed > 0 && speed <= 1e6)) {
      throw new IllegalArgumentException("speed must be above 0, up to 1000000: " + speed);
    }
    if (maxSilenceMicros < 0) {
      throw new IllegalArgumentException("the longest silence is negative: " + maxSilenceMicros);
    }
    if (maxLengthMicros <= 0 || maxLengthMicros > MAX_LENGTH.toMillis() * 1000) {
      throw new IllegalArgumentException(
          "a score may be at most " + MAX_LENGTH.toMinutes() + " minutes long");
    }
  }

  /** The same with another speed. */
  public ScoreOptions withSpeed(double newSpeed) {
    return new ScoreOptions(newSpeed, maxSilenceMicros, maxLengthMicros);
  }

  /** The same with another longest silence. */
  public ScoreOptions withMaxSilence(Duration longest) {
    return new ScoreOptions(speed, micros(longest), maxLengthMicros);
  }

  /** The same with another longest length. */
  public ScoreOptions withMaxLength(Duration longest) {
    return new ScoreOptions(speed, maxSilenceMicros, micros(longest));
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }
}
