// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.state.CutOrigin;
import io.retroscope.rql.cut.state.CutTime;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes the times of a slice's cuts. Used by one thread. */
interface SliceTimes {
  /** The time of a cut, by its packed stamp. */
  CutTime of(long hlc, CutOrigin origin);

  /** The clocks by which expressions compute times. */
  ClockOffsets clocks();

  /** The times by clocks. */
  static SliceTimes by(ClockOffsets clocks) {
    return new SliceTimes() {
      @Override
      public CutTime of(long hlc, CutOrigin origin) {
        return origin.time(hlc, clocks);
      }

      @Override
      public ClockOffsets clocks() {
        return clocks;
      }
    };
  }

  /**
   * The times of a slice that is walked for another process. All rows of a query need the same
   * clocks, which are those of that process: it makes the times from {@link Readings}.
   */
  static SliceTimes elsewhere() {
    return new SliceTimes() {
      @Override
      public CutTime of(long hlc, CutOrigin origin) {
        ClockOffsets readings = new Readings(CutOrigin.copyOf(origin));
        return new CutTime(
            HlcTimestamp.micros(hlc),
            OptionalLong.empty(),
            new CutTime.Origin("", Event.NO_PHYSICAL, Long.MIN_VALUE, Long.MAX_VALUE, readings));
      }

      @Override
      public ClockOffsets clocks() {
        return ClockOffsets.UNKNOWN;
      }
    };
  }

  /** What takes the place of clocks in a time that another process makes: a cut's readings. */
  record Readings(CutOrigin origin) implements ClockOffsets {
    @Override
    public Optional<String> referenceNode() {
      return Optional.empty();
    }

    @Override
    public Optional<Offset> offset(String node, long hlc) {
      return Optional.empty();
    }
  }
}
