import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What recordings of JFR are made of (tools/record-jfr.sh): CPU work, allocations, locks, waiting, sleeping, exceptions, files, sockets. */
public class RecordJfr {
    static final Object LOCK = new Object();
    static volatile long sink;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void work() {
        for (int i = 0; i < 20; i++) {
            sink += fib(27);
        }
    }

    static void allocate() {
        List<byte[]> keep = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            keep.add(new byte[20000]);
            if (keep.size() > 300) {
                keep.clear();
            }
        }
        sink += keep.size();
    }

    static void contend() {
        synchronized (LOCK) {
            try {
                Thread.sleep(15);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void fail(int depth) {
        if (depth == 0) {
            throw new IllegalArgumentException("caf\u00e9 \u65e5\u672c");
        }
        fail(depth - 1);
    }

    static void job() {
        for (int i = 0; i < 4; i++) {
            work();
            allocate();
            contend();
            try {
                fail(5);
            } catch (IllegalArgumentException e) {
                sink++;
            }
            LockSupport.parkNanos(15_000_000L);
        }
    }

    static void await() {
        synchronized (LOCK) {
            try {
                LOCK.wait(30);
            } catch (InterruptedException e) {
                sink++;
            }
        }
    }

    static void files() throws Exception {
        Path path = Files.createTempFile("record", ".bin");
        try (FileOutputStream out = new FileOutputStream(path.toFile())) {
            out.write(new byte[100000]);
            out.getFD().sync();
        }
        try (FileInputStream in = new FileInputStream(path.toFile())) {
            sink += in.read(new byte[100000]);
        }
        Files.delete(path);
    }

    static void send(int port) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Thread.sleep(25);
            s.getOutputStream().write(new byte[777]);
        } catch (Exception e) {
            sink++;
        }
    }

    static void sockets() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread client = new Thread(() -> send(server.getLocalPort()), "client");
            client.start();
            try (Socket s = server.accept()) {
                sink += s.getInputStream().read(new byte[1000]);
            }
            client.join();
        }
    }

    /** As often as the argument says, once without. */
    public static void main(String[] args) throws Exception {
        for (int i = args.length > 0 ? Integer.parseInt(args[0]) : 1; i > 0; i--) {
            round();
        }
    }

    static void round() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(RecordJfr::job, "worker-" + i));
        }
        threads.add(new Thread(RecordJfr::await, "waiter \u00e9"));
        for (Thread t : threads) {
            t.start();
        }
        files();
        sockets();
        System.gc();
        for (Thread t : threads) {
            t.join();
        }
    }
}
