// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.grpc;

import io.grpc.Metadata;
import io.retroscope.context.HlcContext;
import java.util.OptionalLong;

/** The stamp in gRPC's metadata. */
final class HlcMetadata {
  private static final Metadata.Key<String> KEY =
      Metadata.Key.of(HlcContext.HEADER, Metadata.ASCII_STRING_MARSHALLER);

  private HlcMetadata() {}

  static void inject(long hlc, Metadata metadata) {
    metadata.discardAll(KEY);
    HlcContext.inject(hlc, metadata, (carrier, name, value) -> carrier.put(KEY, value));
  }

  static OptionalLong extract(Metadata metadata) {
    return HlcContext.extract(metadata, (carrier, name) -> carrier.get(KEY));
  }
}
