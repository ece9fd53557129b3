// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.FileSink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class FileSinkContractTest extends EventSinkContract {
  @TempDir Path folder;

  private Path file() {
    return folder.resolve("trace.rtsb");
  }

  @Override
  protected EventSink open() {
    return new FileSink(file());
  }

  @Override
  protected List<EventBlock> delivered() throws Exception {
    List<BlockFrame> frames = EventBlockCodec.decodeAll(Files.readAllBytes(file()));
    return frames.stream().map(EventBlock.class::cast).toList();
  }
}
