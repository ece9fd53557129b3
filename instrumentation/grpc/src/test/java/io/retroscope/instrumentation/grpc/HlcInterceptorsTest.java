// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with a real gRPC server on a loopback port. */
class HlcInterceptorsTest extends CarrierContract {
  private static final MethodDescriptor<byte[], byte[]> ECHO =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("test.Echo/echo")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private Server grpcServer;
  private ManagedChannel connection;

  @BeforeEach
  void start() throws IOException {
    start(new HlcServerInterceptor(receiver));
  }

  private void start(HlcServerInterceptor interceptor) throws IOException {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("test.Echo")
            .addMethod(
                ECHO,
                ServerCalls.asyncUnaryCall(
                    (request, answer) -> {
                      arrived();
                      answer.onNext(request);
                      answer.onCompleted();
                    }))
            .build();
    grpcServer =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(ServerInterceptors.intercept(service, interceptor))
            .build()
            .start();
    connection =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), grpcServer.getPort()))
            .usePlaintext()
            .build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    connection.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    grpcServer.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  private void call(Channel channel) {
    assertThat(ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, new byte[3]))
        .hasSize(3);
  }

  private Channel traced() {
    return ClientInterceptors.intercept(connection, new HlcClientInterceptor(sender));
  }

  @Override
  protected void carry() {
    call(traced());
  }

  @Override
  protected void carryUntraced() {
    call(connection);
  }

  @Override
  protected void carryUnreadable(String stamp) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("x-hlc", Metadata.ASCII_STRING_MARSHALLER), stamp);
    call(
        ClientInterceptors.intercept(
            connection, MetadataUtils.newAttachHeadersInterceptor(headers)));
  }

  @Test
  void call_response_isReceivedAboveTheEffect() {
    carry();

    long after = sender.tick();
    assertThat(only(receivedEvents(EventBody.StateChange.class)).hlc()).isLessThan(after);
    // The stamps of the headers and of the trailers.
    assertThat(sentEvents(EventBody.Receive.class)).hasSize(2);
  }

  @Test
  void call_atTheEdge_doesNotMoveTheServersClock() throws Exception {
    grpcServer.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    connection.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    start(new HlcServerInterceptor(receiver, false));
    long before = sender.tick();

    carry();

    assertThat(only(receivedEvents(EventBody.StateChange.class)).hlc()).isLessThan(before);
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
    assertThat(receiver.statistics().untrusted()).isEqualTo(1);
    assertThat(sentEvents(EventBody.Receive.class)).isNotEmpty();
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
