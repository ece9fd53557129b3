package io.retroscope.sonify.play;

import io.retroscope.sonify.score.Instrument;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An assignment of MIDI channels to instruments. There are 15, because the tenth is reserved for
 * the drum kit; with more instruments, the least recently used one loses its channel.
 */
final class Channels {
  private static final int CHANNEL_COUNT = 16;
  private static final int DRUM_KIT = 9;

  private final Map<Instrument, Integer> byLastUse = new LinkedHashMap<>(16, 0.75f, true);
  private int next;

  /**
   * An instrument's channel.
   *
   * @param channel 0 to 15
   * @param fresh whether the channel was just assigned, so that the program must be sent first
   */
  record Assignment(int channel, boolean fresh) {}

  Assignment of(Instrument instrument) {
    Integer known = byLastUse.get(instrument);
    if (known != null) {
      return new Assignment(known, false);
    }
    int channel = freeChannel();
    byLastUse.put(instrument, channel);
    return new Assignment(channel, true);
  }

  private int freeChannel() {
    if (next < CHANNEL_COUNT) {
      int channel = next;
      next += next + 1 == DRUM_KIT ? 2 : 1;
      return channel;
    }
    Instrument eldest = byLastUse.keySet().iterator().next();
    Integer channel = byLastUse.remove(eldest);
    if (channel == null) {
      throw new AssertionError("no channel for " + eldest);
    }
    return channel;
  }
}
