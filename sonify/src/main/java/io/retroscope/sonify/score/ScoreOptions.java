package io.retroscope.sonify.score;

import java.time.Duration;

/**
 * The options for converting recorded time to played time.
 *
 * @param speed the factor by which the score is faster than recorded, more than 0; notes keep their
 *     length
 * @param maxSilenceMicros the limit to which longer silences are shortened
 * @param maxLengthMicros the latest start of the last note; a longer score is played faster
 */
public record ScoreOptions(double speed, long maxSilenceMicros, long maxLengthMicros) {
  /** The maximum length of a score, for which a WAV file has about 600 MB. */
  public static final Duration MAX_LENGTH = Duration.ofHours(1);

  /** The recorded speed, with silences shortened to two seconds, and five minutes at most. */
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

  /** These options with another speed. */
  public ScoreOptions withSpeed(double newSpeed) {
    return new ScoreOptions(newSpeed, maxSilenceMicros, maxLengthMicros);
  }

  /** These options with another maximum silence. */
  public ScoreOptions withMaxSilence(Duration longest) {
    return new ScoreOptions(speed, micros(longest), maxLengthMicros);
  }

  /** These options with another maximum length. */
  public ScoreOptions withMaxLength(Duration longest) {
    return new ScoreOptions(speed, maxSilenceMicros, micros(longest));
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }
}
