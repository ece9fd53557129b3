// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.retroscope.recorder.Recorder;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static Server server(Recorder recorder, int port) {
    Server server;
    server = NettyServerBuilder.forPort(port).intercept(new HlcServerInterceptor(recorder)).build();
    return server;
  }

  static ManagedChannel channel(Recorder recorder, String host, int port) {
    ManagedChannel channel;
    channel =
        NettyChannelBuilder.forAddress(host, port)
            .intercept(new HlcClientInterceptor(recorder))
            .build();
    return channel;
  }
}
