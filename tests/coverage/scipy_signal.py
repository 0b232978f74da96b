"""Calls of the names of scipy.signal."""

import numpy as np
from scipy import signal as sg

A = np.cos(np.arange(12.0)).reshape(3, 4)
B = np.array([0.3, -0.2, 0.5])
LONG = np.cos(np.arange(40.0) ** 1.3)
DEN = np.array([1.0, -0.4, 0.2])
SOS = np.array([[0.3, 0.1, -0.2, 1.0, -0.4, 0.2], [0.5, 0.2, 0.1, 1.0, 0.3, -0.1]])
STEP = np.array([1.0, -0.5, 0.2, 0.0, 0.1, 0.2])
PAIR = (
    "sg.{0}(x, B)",
    "sg.{0}(x.reshape(3, 3), A, mode='same')",
    "sg.{0}(x * (1 + 2j), B * 1j, 'valid')",
    "sg.{0}(A, x[:4].reshape(2, 2))",
)
PLANE = (
    "sg.{0}(x.reshape(3, 3), A[:2])",
    "sg.{0}(A, x[:4].reshape(2, 2), 'same', 'symm')",
    "sg.{0}(x.reshape(3, 3), A[:, :2], 'full', 'wrap')",
    "sg.{0}(x[:4].reshape(2, 2), x.reshape(3, 3), 'valid')",
    "sg.{0}(x.reshape(3, 3) * 1j, A[:2, :2] * (1 + 1j), boundary='fill', fillvalue=x[0])",
)


def _calls(texts: tuple[str, ...], *names: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(text.format(name) for text in texts) for name in names}


CALLS: dict[str, tuple[str, ...]] = {
    **_calls((*PAIR, "sg.{0}(x.reshape(3, 3), A, method='direct')"), "convolve", "correlate"),
    **_calls((*PAIR, "sg.{0}(x.reshape(3, 3), A[0][None], axes=1)"), "fftconvolve", "oaconvolve"),
    **_calls(PLANE, "convolve2d", "correlate2d"),
    "lfilter": (
        "sg.lfilter(x[:3], DEN, LONG)",
        "sg.lfilter(B, 1 + x[:3], A, axis=0)",
        "sg.lfilter(B, DEN, x, zi=x[:2])",
        "sg.lfilter(B, x[:2], x.reshape(3, 3), 0, zi=A[:2, :3])[1]",
        "sg.lfilter(B * 1j, DEN, x * (1 + 1j))",
    ),
    "sosfilt": (
        "sg.sosfilt(SOS, x)",
        "sg.sosfilt(SOS + STEP * x[0], x.reshape(3, 3), 0, zi=np.tile(x[:2, None], (2, 1, 3)))",
        "sg.sosfilt(np.concatenate([x[:3], [1.0], x[3:5]])[None], LONG)",
        "sg.sosfilt(SOS, x * (1 + 2j))",
    ),
    "filtfilt": (
        "sg.filtfilt(B, DEN, x, padlen=4)",
        "sg.filtfilt(x[:3], DEN, LONG)",
        "sg.filtfilt(B, np.concatenate([[1.0], x[:2] / 2]), LONG, padtype='even')",
        "sg.filtfilt(B, DEN, x, method='gust')",
    ),
    "sosfiltfilt": (
        "sg.sosfiltfilt(SOS, x, padlen=4)",
        "sg.sosfiltfilt(SOS + STEP * x[0] / 9, LONG)",
    ),
    "lfilter_zi": ("sg.lfilter_zi(x[:3], DEN)", "sg.lfilter_zi(B, 1 + x[:3])"),
    "sosfilt_zi": ("sg.sosfilt_zi(SOS + STEP * x[0])",),
    "lfiltic": ("sg.lfiltic(B, DEN, x[:2], x[2:4])", "sg.lfiltic(x[:3], 1 + x[3:6], B[:2])"),
    "deconvolve": ("sg.deconvolve(x, x[:3])[0]", "sg.deconvolve(LONG[:6], 1 + x[:3])[1]"),
    "upfirdn": (
        "sg.upfirdn(B, x, 3, 2)",
        "sg.upfirdn(x[:5], A, up=2, axis=0)",
        "sg.upfirdn(B, x.reshape(3, 3) * 1j, down=2)",
    ),
    "resample": (
        "sg.resample(x, 12)",
        "sg.resample(x, 5)",
        "sg.resample(x.reshape(3, 3), 4, axis=1, window='hann')",
        "sg.resample(x * (1 + 1j), 6)",
    ),
    "resample_poly": (
        "sg.resample_poly(x, 3, 2)",
        "sg.resample_poly(x.reshape(3, 3), 2, 3, axis=1, padtype='mean')",
    ),
    "decimate": (
        "sg.decimate(LONG * x[0] + x[1], 2)",
        "sg.decimate(np.tile(x, 5), 3, ftype='fir')",
    ),
    "hilbert": ("sg.hilbert(x)", "sg.hilbert(x.reshape(3, 3), 4, axis=0)"),
    "hilbert2": ("sg.hilbert2(x.reshape(3, 3))", "sg.hilbert2(x.reshape(3, 3), (4, 2))"),
    "envelope": ("sg.envelope(x)", "sg.envelope(x, bp_in=(1, 3), residual='all')"),
    "detrend": (
        "sg.detrend(x)",
        "sg.detrend(x.reshape(3, 3), type='constant')",
        "sg.detrend(x, bp=[4])",
    ),
    "medfilt": ("sg.medfilt(x, 3)", "sg.medfilt(x.reshape(3, 3))"),
    "medfilt2d": ("sg.medfilt2d(x.reshape(3, 3))", "sg.medfilt2d(x.reshape(3, 3), (1, 3))"),
    "order_filter": ("sg.order_filter(x.reshape(3, 3), np.ones((3, 3)), 2)",),
    "wiener": ("sg.wiener(x)", "sg.wiener(x.reshape(3, 3), (3, 1))", "sg.wiener(x, 3, x[0] / 50)"),
    "savgol_filter": (
        "sg.savgol_filter(x, 5, 2)",
        "sg.savgol_filter(x, 3, 1, deriv=1, delta=0.5, mode='mirror')",
        "sg.savgol_filter(x, 5, 3, mode='constant', cval=x[0])",
    ),
    "savgol_coeffs": ("sg.savgol_coeffs(5, 2, deriv=1, delta=x[0])",),
    "cspline1d": ("sg.cspline1d(x)",),
    "qspline1d": ("sg.qspline1d(x)",),
    "cspline1d_eval": ("sg.cspline1d_eval(x, np.array([0.3, 2.7, -1.2, 11.3]))",),
    "qspline1d_eval": (
        "sg.qspline1d_eval(x, np.array([0.3, 2.7, -1.2, 11.3]))",
        "sg.qspline1d_eval(B, 2.1 * x)",
    ),
    "gauss_spline": ("sg.gauss_spline(x, 3)",),
    "czt": (
        "sg.czt(x)",
        "sg.czt(x.reshape(3, 3), 5, 0.9 + 0.1j, axis=0)",
        "sg.czt(B, 4, 0.9 + x[0])",
    ),
    "zoom_fft": ("sg.zoom_fft(x, [0.1, 0.4], 6)", "sg.zoom_fft(x * 1j, 0.3, fs=1.5)"),
    "minimum_phase": ("sg.minimum_phase(x)", "sg.minimum_phase(x, n_fft=64)"),
    "periodogram": ("sg.periodogram(x)", "sg.periodogram(x, 2.0, 'hann', scaling='spectrum')[1]"),
    "welch": ("sg.welch(np.tile(x, 5), nperseg=12)", "sg.welch(x, nperseg=4, detrend='linear')[1]"),
    "csd": ("sg.csd(x, x**2, nperseg=6)",),
    "coherence": ("sg.coherence(x, np.sin(9 * x), nperseg=4)",),
    "spectrogram": ("sg.spectrogram(x, nperseg=4)", "sg.spectrogram(x, nperseg=4, mode='complex')"),
    "stft": ("sg.stft(x, nperseg=4)", "sg.stft(x, nperseg=4, boundary=None)[2]"),
    "istft": ("sg.istft(A[:3] * x[:3, None] * (1 + 1j), nperseg=4)",),
    "lombscargle": ("sg.lombscargle(np.arange(9.0), x, [0.5, 1.1])",),
    "vectorstrength": ("sg.vectorstrength(x, 0.7)", "sg.vectorstrength(B, x[0])"),
    "freqz": ("sg.freqz(x, worN=5)[1]", "sg.freqz(B, 1 + x[:3], [0.3, 1.1])[1]"),
    "freqs": ("sg.freqs(x[:3], 1 + x[3:6], [0.3, 1.1])[1]",),
    "freqz_zpk": ("sg.freqz_zpk(x[:2], x[2:4], x[4], [0.3, 1.1])[1]",),
    "freqs_zpk": ("sg.freqs_zpk(x[:2], x[2:4], x[4], [0.3, 1.1])[1]",),
    "sos2tf": ("sg.sos2tf(x[:6][None] + 0.5)",),
    "sos2zpk": ("sg.sos2zpk(np.array([[x[0], 2 + x[1], 0.3, 1.0, 2 + x[2], 0.4]]))[2]",),
    "tf2sos": ("sg.tf2sos(x[:3], 1 + x[3:6])", "sg.tf2sos(np.append(x[:4], 9.0), x[3:7])"),
    "tf2zpk": ("sg.tf2zpk(x[:3], 1 + x[3:6])",),
    "zpk2tf": ("sg.zpk2tf(x[:2], x[2:4], x[4])",),
    "zpk2sos": ("sg.zpk2sos(x[:2], x[2:4], x[4])",),
    "tf2ss": ("sg.tf2ss(x[:3], 1 + x[3:6])",),
    "ss2tf": ("sg.ss2tf(x[:4].reshape(2, 2), A[:2, :1], A[:1, :2], A[:1, :1])",),
    "normalize": ("sg.normalize(x[:3], 1 + x[3:6])",),
    "lp2lp": ("sg.lp2lp(x[:2], 1 + x[2:5], 1 + x[5])",),
    "lp2hp": ("sg.lp2hp(x[:2], 1 + x[2:5], 1 + x[5])",),
    "lp2bp": ("sg.lp2bp(x[:2], 1 + x[2:5], 1 + x[5], x[6])",),
    "lp2bs": ("sg.lp2bs(x[:2], 1 + x[2:5], 1 + x[5], x[6])",),
    "bilinear": ("sg.bilinear(x[:2], 1 + x[2:5], 1.5)", "sg.bilinear(B[:2], DEN, 1 + x[0])"),
    "bilinear_zpk": ("sg.bilinear_zpk(x[:2], -x[2:4], x[4], 1 + x[5])",),
    "butter": ("sg.butter(3, x[0])", "sg.butter(2, [x[3], x[1]], 'band', output='sos')"),
    "cheby1": ("sg.cheby1(3, 0.5 + x[1], x[0])",),
    "cheby2": ("sg.cheby2(3, 20 + x[1], x[0])",),
    "bessel": ("sg.bessel(2, x[0])",),
    "iirnotch": ("sg.iirnotch(x[0], 10 + x[1])",),
    "iirpeak": ("sg.iirpeak(x[0], 10 + x[1])",),
    "firwin": ("sg.firwin(7, x[0])", "sg.firwin(7, [x[3], x[1]], pass_zero=False)"),
    "firwin2": ("sg.firwin2(9, [0.0, 0.4, 1.0], [1.0, x[0], 0.0])",),
    "residue": ("sg.residue(x[:2], np.array([1.0, 3 + x[2], 1 + x[3]]))",),
    "chirp": ("sg.chirp(x, 1.0, 2.0, 3.0)", "sg.chirp(B, x[0], 2.0, 3 + x[1], 'quadratic')"),
    "gausspulse": ("sg.gausspulse(x / 9)", "sg.gausspulse(B / 100, 20 + x[0], bw=x[1])"),
    "sawtooth": ("sg.sawtooth(9 * x)", "sg.sawtooth(9 * x, 0.3)"),
    "square": ("sg.square(9 * x)",),
    "sweep_poly": ("sg.sweep_poly(x, np.array([0.3, 1.1]))",),
    "kaiser_atten": ("sg.kaiser_atten(7, x[0])",),
    "kaiser_beta": ("sg.kaiser_beta(30 + x[0])", "sg.kaiser_beta(60.0 + x[1])"),
    "get_window": (
        "sg.get_window(('kaiser', 4 + x[0]), 5)",
        "sg.get_window(('gaussian', x[1]), 6)",
    ),
    "find_peaks": ("sg.find_peaks(x)[0]",),
    "argrelmax": ("sg.argrelmax(x)",),
    "unit_impulse": ("sg.unit_impulse(4) * x[0]",),
    "lsim": ("sg.lsim((x[:2], 1 + x[2:5]), B, [0.0, 0.5, 1.0])[1]",),
    "whittaker_henderson": (
        "sg.whittaker_henderson(x, lamb=2.5).x",
        "sg.whittaker_henderson(x, lamb=x[0], weights=1 + x).x",
        "sg.whittaker_henderson(x, lamb=x[1], order=1, weights=1 + x).x",
    ),
}
REFUSED: dict[str, str] = {}
